// Approvals, the ledger, one call's story, and the conversations.

function column(main, wide, title, sub, ...acts) {
  const el = make("div", { class: wide ? "column wide" : "column" },
    make("div", { class: "head" }, make("div", {}, make("h1", {}, title), sub ? make("p", {}, sub) : ""), ...acts));
  main.replaceChildren(el);
  document.title = title + " – Holdfast";
  return el;
}

async function approvalsView(main, info, only) {
  if (only) {
    const el = column(main, false, "An approval", "");
    el.append(new Ask(await api("GET", "/v1/approvals/" + encodeURIComponent(only)), { link: true }).el);
    return null;
  }
  const el = column(main, false, "Approvals", "Calls that a person must agree to. Each is decided once, and runs exactly as shown.");
  const open = make("div", { class: "part" }), past = make("section", { class: "part" });
  el.append(open, past);
  const shown = new Map();
  const look = async () => {
    const { approvals } = await api("GET", "/v1/approvals");
    badge(approvals.length);
    for (const a of [...approvals].reverse()) {
      if (shown.has(a.approval_id)) continue;
      const ask = new Ask(a, { link: true, decided: () => badge(-1) });
      shown.set(a.approval_id, ask);
      open.prepend(ask.el);
    }
    for (const [id, ask] of shown) {
      if (ask.approval.state === "waiting" && !approvals.some((a) => a.approval_id === id)) ask.draw(await api("GET", "/v1/approvals/" + id));
    }
    const none = open.querySelector(".empty");
    if (!shown.size && !none) open.append(make("p", { class: "empty" }, "Nothing waits for you."));
    if (shown.size && none) none.remove();
  };
  await look();
  const { approvals } = await api("GET", "/v1/approvals?state=all&limit=30");
  const before = approvals.filter((a) => a.state !== "waiting");
  if (before.length) {
    past.append(make("h2", {}, "Decided before"), make("ul", { class: "list" }, before.map((a) =>
      make("li", {}, make("a", { class: "item", href: "/approvals/" + a.approval_id, "data-link": "" },
        make("span", { class: "row" }, make("code", {}, a.tool), make("span", { class: "state" }, DECIDED[a.state] || a.state)),
        make("span", { class: "soft small" }, a.decided_by ? a.decided_by + ", " : "", when(a.decided || a.requested)))))));
  }
  const timer = setInterval(() => { if (!document.hidden) look().catch(() => {}); }, 5000);
  return { close: () => clearInterval(timer) };
}

const OUTCOMES = ["ok", "rejected", "failed", "uncertain", "pending"];
const SPANS = [["", "any time"], ["3600", "the last hour"], ["86400", "the last day"], ["604800", "the last 7 days"], ["2592000", "the last 30 days"], ["between", "between …"]];

async function ledgerView(main, info) {
  const el = column(main, true, "Ledger", "Every call that was ever proposed, and what became of it.");
  const q = new URLSearchParams(location.search);
  const pick = (name, label, options) => {
    const s = make("select", { name }, options.map(([v, text]) => make("option", { value: v, selected: q.get(name) === v }, text)));
    return make("label", {}, label, s);
  };
  const tools = [["", "any tool"], ...info.tools.map((t) => [t.name, t.name])];
  if (q.get("tool") && !tools.some(([v]) => v === q.get("tool"))) tools.push([q.get("tool"), q.get("tool")]);
  const time = (name, label) => make("label", { hidden: q.get("span") !== "between" }, label, make("input", { type: "datetime-local", name, value: q.get(name) || "" }));
  const from = time("from", "From"), to = time("to", "To");
  const form = make("form", { class: "filters", role: "search", "aria-label": "Filter" },
    pick("tool", "Tool", tools), pick("outcome", "Outcome", [["", "any outcome"], ...OUTCOMES.map((o) => [o, o])]),
    pick("span", "When", SPANS), from, to, make("label", {}, "Conversation", make("input", { name: "run", value: q.get("run") || "", placeholder: "any", autocomplete: "off" })));
  const unsure = make("section", { class: "part", "aria-label": "Uncertain calls" });
  const body = make("tbody"), more = make("button", { type: "button", hidden: true }, "Show older"), wrong = make("div");
  const table = make("table", { "aria-label": "Calls" }, make("thead", {}, make("tr", {}, ["When", "Tool", "Outcome", "Arguments", "Took"].map((h) => make("th", { scope: "col" }, h)))), body);
  const empty = make("p", { class: "empty", hidden: true }, "No call is recorded here.");
  el.append(unsure, form, table, empty, wrong, make("div", { class: "row" }, more));
  let next = null, asked = 0;
  const load = async (on) => {
    const mine = ++asked, f = new URLSearchParams(new FormData(form)), ask = new URLSearchParams({ limit: "50" });
    for (const name of ["tool", "outcome", "run"]) if (f.get(name)) ask.set(name, f.get(name));
    const span = f.get("span");
    if (span === "between") {
      if (f.get("from")) ask.set("since", new Date(f.get("from")).toISOString());
      if (f.get("to")) ask.set("until", new Date(f.get("to")).toISOString());
    } else if (span) ask.set("since", new Date(Date.now() - span * 1000).toISOString());
    if (on && next) ask.set("before", next);
    const page = await api("GET", "/v1/calls?" + ask);
    if (mine !== asked) return;
    const rows = page.calls.map(callRow);
    if (on) body.append(...rows); else body.replaceChildren(...rows);
    next = page.next;
    more.hidden = !next;
    empty.hidden = body.children.length > 0;
    table.hidden = !empty.hidden;
  };
  form.addEventListener("change", async () => {
    const f = new FormData(form);
    from.hidden = to.hidden = f.get("span") !== "between";
    const kept = new URLSearchParams([...f].filter(([, v]) => v));
    history.replaceState(null, "", "/ledger" + (kept.size ? "?" + kept : ""));
    try { await load(false); say(count(body.children.length, "call") + (next ? " and older ones" : "")); } catch (e) { complain(wrong, e); }
  });
  form.addEventListener("submit", (e) => e.preventDefault());
  once(more, wrong, () => load(true));
  const [, doubts] = await Promise.all([load(false), api("GET", "/v1/calls?outcome=uncertain&limit=20")]);
  if (doubts.calls.length) {
    unsure.append(make("h2", {}, "It is not known whether these happened"),
      make("p", { class: "soft" }, "They will not run again by themselves, and calls like them are held back. Look in the place that they write to, then say in a call's story what you found."),
      make("ul", { class: "list" }, doubts.calls.map((c) => make("li", {}, make("a", { class: "item card is-uncertain", href: "/calls/" + c.ledger_id, "data-link": "" },
        make("span", { class: "row" }, make("code", {}, c.tool), pill("uncertain"), make("span", { class: "soft small" }, when(c.proposed))),
        make("code", { class: "soft" }, c.arguments), make("span", { class: "small" }, c.message || ""))))));
  }
  return null;
}

function callRow(c) {
  const look = looks({ ...c, saved: true });
  return make("tr", {}, make("td", { class: "tight" }, when(c.proposed)),
    make("td", {}, make("a", { href: "/calls/" + c.ledger_id, "data-link": "", class: "mono" }, c.tool)),
    make("td", {}, make("span", { class: "state is-" + look }, make("span", { "aria-hidden": "true" }, (SIGN[look] || "·") + " "), c.outcome || c.state),
      c.code ? make("span", { class: "soft small" }, " " + c.code) : "", c.replayed ? make("span", { class: "soft small" }, " replayed") : ""),
    make("td", {}, make("span", { class: "line mono" }, c.arguments)), make("td", { class: "tight" }, lasted(c.started || c.proposed, c.ended)));
}

const EVENTS = { proposed: "Proposed", approval_opened: "A person was asked", approval_approved: "Approved", approval_denied: "Denied", started: "Started: from here on there may be an effect", ok: "Done", failed: "Failed", uncertain: "Nobody knows whether it happened", rejected: "Rejected: it did not run", evidence: "Something was seen", resolved_ok: "A person found: it happened", resolved_failed: "A person found: it did not happen" };

async function callView(main, info, id) {
  const path = "/v1/calls/" + encodeURIComponent(id);
  const draw = (s) => {
    const look = looks({ ...s, saved: true });
    const el = column(main, false, s.tool, null, make("span", { class: "is-" + look }, pill(look, s.outcome || s.state)));
    document.title = `${s.tool}: ${s.outcome || s.state} – Holdfast`;
    const row = (name, value) => value ? [make("dt", {}, name), make("dd", {}, value)] : [];
    if (means(s)) el.append(make("p", {}, means(s)));
    if (s.outcome === "uncertain") el.append(settle(s));
    if (s.problems.length) el.append(faults(s.problems));
    const block = (title, text) => make("section", { class: "part" }, make("h2", {}, title), make("pre", { class: "args whole", tabindex: "0", role: "group", "aria-label": title }, text));
    el.append(block("Arguments", indent(s.arguments)));
    if (s.approval) el.append(make("section", { class: "part" }, make("h2", {}, "A person was asked"), new Ask(s.approval, { link: true, decided: show }).el));
    if (s.observation !== null) el.append(block("What the model read", indent(s.observation)));
    el.append(make("section", { class: "part" }, make("h2", {}, "Its story"), make("ol", { class: "story" }, s.events.map((e) =>
      make("li", {}, make("span", {}, make("b", {}, EVENTS[e.what] || e.what.replaceAll("_", " ")), " ", make("span", { class: "soft small" }, new Date(e.at).toLocaleString(), e.who && /^(approval_(approved|denied)|resolved_)/.test(e.what) ? ", by " + e.who : "")),
        e.details ? make("details", { class: "small" }, make("summary", {}, "Details"), make("pre", { class: "args" }, indent(e.details))) : "")))));
    el.append(make("section", { class: "part" }, make("h2", {}, "Facts"), make("dl", { class: "facts" },
      row("Call", make("code", {}, s.ledger_id)), row("Provider's id", s.call_id && make("code", {}, s.call_id)), row("Effect", s.effect),
      row("Stage", s.stage), row("Code", s.code), row("Message", s.message), row("Key", s.key && make("code", {}, s.key)),
      row("For", s.principal.tenant ? s.principal.tenant + "/" + s.principal.id : s.principal.id), row("Proposed", when(s.proposed)), row("Started", when(s.started)), row("Ended", when(s.ended)),
      row("Took", lasted(s.started, s.ended)), row("Where", make("a", { href: "/runs/" + encodeURIComponent(s.run), "data-link": "" }, `turn ${s.turn}, round ${s.round}, call ${s.position + 1}`)),
      s.coerced.map((c) => row("Changed", `${c.path}: ${c.from} → ${c.to} (${c.rule})`)), s.warnings.map((p) => row("Odd", `${p.path || "/"} ${p.message}`)))));
  };
  const settle = (s) => {
    const seen = make("textarea", { rows: "2", maxlength: "1000" }), wrong = make("div");
    const yes = make("button", { type: "button" }, "It happened"), no = make("button", { type: "button" }, "It did not happen");
    const send = (happened) => async () => {
      if (!seen.value.trim()) { seen.focus(); throw new Problem({ detail: "Say what you saw: it is kept with the call." }); }
      draw(await api("POST", path + "/resolve", { happened, evidence: seen.value }));
      say("Kept.");
    };
    once(yes, wrong, send(true));
    once(no, wrong, send(false));
    return make("div", { class: "ask", role: "group", "aria-label": "Say what became of it" }, make("h2", {}, "You can settle it"),
      make("p", {}, "If it happened, calls like it get this one's record. If it did not, it may be called again."),
      make("label", {}, "What you saw, and where", seen), make("div", { class: "buttons" }, yes, no), wrong);
  };
  const show = async () => draw(await api("GET", path));
  await show();
  return null;
}

async function runsView(main) {
  const el = column(main, false, "History", "Conversations, newest first. Each opens as it was.", make("a", { class: "button", href: "/", "data-link": "" }, "New conversation"));
  const list = make("ul", { class: "list" }), more = make("button", { type: "button", hidden: true }, "Show older"), wrong = make("div");
  el.append(list, wrong, make("div", { class: "row" }, more));
  let next = null;
  const load = async () => {
    const page = await api("GET", "/v1/runs?limit=30" + (next ? "&before=" + encodeURIComponent(next) : ""));
    list.append(...page.runs.map((r) => make("li", {}, make("a", { class: "item", href: "/runs/" + encodeURIComponent(r.run), "data-link": "" },
      make("strong", {}, r.title), make("span", { class: "soft small" }, when(r.last), ` · ${r.catalog} · ${count(r.turns, "turn")} · `,
        r.running ? "goes on now" : r.end === null ? "open: it waits or was interrupted" : r.end === "answer" ? "answered" : r.end.replace("_", " "))))));
    next = page.next;
    more.hidden = !next;
    if (!list.children.length) list.append(make("li", { class: "empty" }, "No conversation yet."));
  };
  once(more, wrong, load);
  await load();
  return null;
}
