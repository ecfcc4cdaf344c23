package policy_test

import "github.com/holdfast-go/holdfast"

// The four settings. Each policy says what an operator of such a place would.
var settings = []setting{
	{
		name: "mail",
		tools: []spec{
			{name: "read_inbox", effect: holdfast.Read, untrusted: true},
			{name: "read_mail", effect: holdfast.Read, untrusted: true},
			{name: "find_contact", effect: holdfast.Read},
			{name: "fetch_page", effect: holdfast.Read, untrusted: true, sends: true, input: `{"type":"object","required":["url"],"properties":{"url":{"type":"string","format":"uri"}},"additionalProperties":false}`},
			{name: "send_mail", effect: holdfast.Write, input: `{"type":"object","required":["to","text"],"properties":{"to":{"type":"array","minItems":1,"items":{"type":"string","format":"email"}},"cc":{"type":"array","items":{"type":"string","format":"email"}},"text":{"type":"string"}},"additionalProperties":false}`},
			{name: "delete_mail", effect: holdfast.Write},
			{name: "forward_all", effect: holdfast.Write},
			{name: "save_draft", effect: holdfast.Write},
		},
		policy: `
rules:
  - {name: looks, decision: allow, tools: "*", effects: [read, agent]}
  - {name: writes of a person, decision: allow, tools: [mail.send_mail, mail.save_draft]}
  - {name: notes to myself, decision: allow, tools: mail.send_mail, despite: untrusted,
     when: [{path: /to/*, op: "==", value: ana@home.example}, {path: /cc, op: absent}]}
  - {name: drafts stay here, decision: allow, tools: mail.save_draft, despite: untrusted}
  - {name: deleting is asked, decision: ask, tools: mail.delete_mail}
  - {name: our own pages, decision: allow, tools: mail.fetch_page, despite: untrusted,
     when: [{path: /url, op: in, value: ["https://wiki.home.example/rules"]}]}
  - {name: no forwarding, decision: deny, tools: mail.forward_all}
budgets:
  - {name: mails a day, tools: mail.send_mail, per_day: 20}
`,
	},
	{
		name: "bank",
		tools: []spec{
			{name: "transactions", effect: holdfast.Read, untrusted: true},
			{name: "read_invoice", effect: holdfast.Read, untrusted: true},
			{name: "balance", effect: holdfast.Read},
			{name: "rate", effect: holdfast.Read, sends: true},
			{name: "pay", effect: holdfast.Write, input: `{"type":"object","required":["to","cents"],"properties":{"to":{"type":"string"},"cents":{"type":"integer","minimum":1},"note":{"type":"string"}},"additionalProperties":false}`},
			{name: "plan", effect: holdfast.Write},
			{name: "set_limit", effect: holdfast.Write},
			{name: "share_statement", effect: holdfast.Write},
		},
		policy: `
rules:
  - {name: looks, decision: allow, tools: "*", effects: [read, agent]}
  - {name: small, decision: allow, tools: bank.pay, when: [{path: /cents, op: "<=", value: 10000}]}
  - {name: to my savings, decision: allow, tools: bank.pay, despite: untrusted,
     when: [{path: /to, op: "==", value: ES-SAVINGS}, {path: /note, op: absent}]}
  - {name: large, decision: ask, tools: bank.pay, when: [{path: /cents, op: ">", value: 10000}]}
  - {name: plans, decision: allow, tools: bank.plan}
  - {name: rates of two, decision: allow, tools: bank.rate, despite: untrusted,
     when: [{path: /pair, op: in, value: [EUR/USD, EUR/GBP]}]}
  - {name: limits by a person, decision: ask, tools: bank.set_limit}
  - {name: statements by a person, decision: ask, tools: bank.share_statement}
budgets:
  - {name: money a day, tools: bank.pay, sum: /cents, per_day: 500000}
`,
	},
	{
		name: "travel",
		tools: []spec{
			{name: "search_flights", effect: holdfast.Read},
			{name: "reviews", effect: holdfast.Read, untrusted: true},
			{name: "fetch_page", effect: holdfast.Read, untrusted: true, sends: true},
			{name: "passport", effect: holdfast.Read},
			{name: "weather", effect: holdfast.Read, sends: true},
			{name: "book", effect: holdfast.Write},
			{name: "cancel", effect: holdfast.Write},
			{name: "share_trip", effect: holdfast.Write},
			{name: "note", effect: holdfast.Write},
		},
		policy: `
rules:
  - {name: looks, decision: allow, tools: "*", effects: [read, agent]}
  - {name: booking, decision: allow, tools: travel.book, when: [{path: /cents, op: "<=", value: 30000}]}
  - {name: dear, decision: ask, tools: travel.book, when: [{path: /cents, op: ">", value: 30000}]}
  - {name: cancelling is asked, decision: ask, tools: travel.cancel}
  - {name: sharing is asked, decision: ask, tools: travel.share_trip}
  - {name: notes, decision: allow, tools: travel.note, despite: untrusted}
  - {name: weather of a place, decision: allow, tools: travel.weather, despite: "untrusted:travel.reviews",
     when: [{path: /city, op: in, value: [Lisbon, Madrid, Porto]}]}
budgets:
  - {name: bookings, tools: travel.book, per_run: 5}
`,
	},
	{
		name: "chat",
		tools: []spec{
			{name: "read_channel", effect: holdfast.Read, untrusted: true},
			{name: "read_file", effect: holdfast.Read, untrusted: true},
			{name: "secrets", effect: holdfast.Read},
			{name: "members", effect: holdfast.Read},
			{name: "open_link", effect: holdfast.Read, untrusted: true, sends: true},
			{name: "post", effect: holdfast.Write},
			{name: "invite", effect: holdfast.Write},
			{name: "remind_me", effect: holdfast.Write},
			{name: "run_workflow", effect: holdfast.Write},
		},
		policy: `
rules:
  - {name: looks, decision: allow, tools: "*", effects: [read, agent]}
  - {name: posts, decision: allow, tools: chat.post}
  - {name: reactions, decision: allow, tools: chat.post, despite: untrusted,
     when: [{path: /channel, op: "==", value: standup}, {path: /text, op: in, value: ["Done.", "Thanks."]}]}
  - {name: reminders, decision: allow, tools: chat.remind_me, despite: untrusted}
  - {name: invitations are asked, decision: ask, tools: chat.invite}
  - {name: no workflows after strangers, decision: deny, tools: chat.run_workflow, labels: untrusted}
  - {name: workflows, decision: allow, tools: chat.run_workflow}
budgets:
  - {name: posts a run, tools: chat.post, per_run: 10}
`,
	},
}
