// One call's whole story.

const EVENTS = { proposed: "Proposed", approval_opened: "A person was asked", approval_approved: "Approved", approval_denied: "Denied", started: "Started: from here on there may be an effect", ok: "Done", failed: "Failed", uncertain: "Nobody knows whether it happened", rejected: "Rejected: it did not run", evidence: "Something was seen", resolved_ok: "A person found: it happened", resolved_failed: "A person found: it did not happen" };

async function callView(main, info, id) {
  const path = "/v1/calls/" + encodeURIComponent(id);
  const draw = (s) => {
    const look = looks({ ...s, saved: true });
    const el = column(main, false, s.tool, null, make("span", { class: "is-" + look }, pill(look, s.outcome || s.state)));
    document.title = `${s.tool}: ${s.outcome || s.state} – Holdfast`;
    const row = (name, value) => value ? [make("dt", {}, name), make("dd", {}, value)] : [];
    if (means(s)) el.append(make("p", {}, means(s)));
    if (s.outcome === "uncertain") el.append(can("approve") ? settle(s) : make("p", { class: "note" }, "Whoever may approve can say here what became of it."));
    if (s.problems.length) el.append(faults(s.problems));
    const block = (title, text) => make("section", { class: "part" }, make("h2", {}, title), make("pre", { class: "args whole", tabindex: "0", role: "group", "aria-label": title }, text));
    el.append(block("Arguments", indent(s.arguments)));
    if (s.approval) el.append(make("section", { class: "part" }, make("h2", {}, "A person was asked"), new Ask(s.approval, { link: true, decided: show }).el));
    if (s.observation !== null) el.append(block("What the model read", indent(s.observation)));
    el.append(make("section", { class: "part" }, make("h2", {}, "Its story"), make("ol", { class: "story" }, s.events.map((e) =>
      make("li", {}, make("span", {}, make("b", {}, EVENTS[e.what] || e.what.replaceAll("_", " ")), " ", make("span", { class: "soft small" }, new Date(e.at).toLocaleString(), e.who && /^(approval_(approved|denied)|resolved_)/.test(e.what) ? ", by " + e.who : ""), link(e)),
        told(e), e.details ? make("details", { class: "small" }, make("summary", {}, "Details"), make("pre", { class: "args" }, indent(e.details))) : "")))));
    el.append(make("section", { class: "part" }, make("h2", {}, "Facts"), make("dl", { class: "facts" },
      row("Call", make("code", {}, s.ledger_id)), row("Provider's id", s.call_id && make("code", {}, s.call_id)), row("Effect", s.effect),
      row("Stage", s.stage), row("Code", s.code), row("Message", s.message), row("Key", s.key && make("code", {}, s.key)),
      row("For", s.principal.tenant ? s.principal.tenant + "/" + s.principal.id : s.principal.id), row("Proposed", when(s.proposed)), row("Started", when(s.started)), row("Ended", when(s.ended)),
      row("Took", lasted(s.started, s.ended)), row("Where", make("a", { href: "/runs/" + encodeURIComponent(s.run), "data-link": "" }, `turn ${s.turn}, round ${s.round}, call ${s.position + 1}`)),
      s.coerced.map((c) => row("Changed", `${c.path}: ${c.from} → ${c.to} (${c.rule})`)), s.warnings.map((p) => row("Odd", `${p.path || "/"} ${p.message}`)))));
  };
  const settle = (s) => {
    const seen = make("textarea", { rows: "2", maxlength: "2000" }), wrong = make("div");
    const result = make("textarea", { rows: "2", class: "mono", spellcheck: "false", placeholder: '{"receipt":4711}' });
    const yes = make("button", { type: "button" }, "It happened"), no = make("button", { type: "button" }, "It did not happen");
    const send = (happened) => async () => {
      if (!seen.value.trim()) { seen.focus(); throw new Problem({ detail: "Say what you saw: it is kept with the call." }); }
      draw(await api("POST", path + "/resolve", { happened, evidence: seen.value, result: happened ? result.value.trim() : "" }));
      say("Kept.");
    };
    once(yes, wrong, send(true));
    once(no, wrong, send(false));
    return make("div", { class: "ask", role: "group", "aria-label": "Say what became of it" }, make("h2", {}, "You can settle it"),
      make("p", {}, "Look in the place that it writes to. If it happened, calls like it get this one's record. If it did not, it may be called again."),
      s.key ? make("p", { class: "small soft" }, "Its key there: ", make("code", {}, s.key)) : "",
      make("label", {}, "What you saw, and where", seen),
      make("details", { class: "small" }, make("summary", {}, "Its result, if it happened and you know it"), make("label", {}, "JSON that the model reads", result)),
      make("div", { class: "buttons" }, yes, no), wrong);
  };
  const show = async () => draw(await api("GET", path));
  await show();
  return null;
}

// link is an event's place in the chain of all events, and what it is sealed with.
function link(e) {
  return make("span", { class: "chain", title: "Event " + e.number + " of the chain, sealed with " + e.hash }, " ", make("code", {}, "#" + e.number + " " + e.hash.slice(0, 8)));
}

// told is what somebody said that they saw.
function told(e) {
  let details = null;
  try { details = JSON.parse(e.details); } catch { return ""; }
  return details && typeof details.evidence === "string" && details.evidence ? make("p", { class: "evidence" }, "Seen: " + details.evidence) : "";
}
