// A call as a card: from its first letters to what became of it.

const STAGES = ["complete", "lookup", "parse", "validate", "authorise", "approve", "admit", "claim", "execute", "confirm", "record"];

const SIGN = { ok: "✓", rejected: "⊘", failed: "✕", uncertain: "?", pending: "…", running: "▸", proposed: "·", waiting: "…", cut: "⌁", skipped: "·" };

const WORD = { proposed: "being written", running: "running", waiting: "waits its turn", cut: "cut off", skipped: "run by the provider", pending: "waits for a person" };

// MOST characters of arguments are shown while they are still written.
const MOST = 16000;

// MEANS is what an outcome means for the person who looks at it.
const MEANS = {
  incomplete_response: "The model's reply was cut, so nothing of it ran.",
  unsupported_call: "A kind of call that cannot be run here. Nothing ran.",
  duplicate_call_id: "The model used one id twice; this second call did not run.",
  too_many_calls: "More calls than one reply may hold; this one did not run.",
  unknown_tool: "There is no tool of that name. Nothing ran.",
  unreadable_arguments: "The arguments could not be read. Nothing ran; the model was told why.",
  invalid_arguments: "The arguments do not fit. Nothing ran; the model was told what to correct.",
  not_permitted: "This is not allowed here. Nothing ran.",
  approval_denied: "A person said no. Nothing ran.",
  approval_expired: "Nobody decided in time. Nothing ran.",
  approval_void: "What was asked about had changed meanwhile. Nothing ran.",
  precondition_failed: "It could not be checked whether this is safe. Nothing ran.",
  circuit_open: "The tool failed several times just before and gets a rest. Nothing ran.",
  rate_limited: "Too many calls in a short time. Nothing ran.",
  budget_exceeded: "The budget is used up. Nothing ran.",
  cancelled: "Cancelled before it began. Nothing ran.",
  ledger_unavailable: "The record could not be written, so nothing was begun.",
  in_progress: "The very same write is running just now; it was not begun a second time.",
  key_conflict: "Its key belongs to another call. Nothing ran.",
  key_pruned: "It ran so long ago that its result is no longer kept. It was not run again.",
  unresolved_write: "An earlier write like it may or may not have happened. This one was held back, so that it does not happen twice.",
};

function means(call) {
  const write = call.effect !== "read";
  switch (call.outcome) {
    case "ok":
      return call.replayed ? "It had already run; the recorded result was returned and nothing ran again." : "";
    case "rejected":
      return MEANS[call.code] || "It did not run.";
    case "failed":
      return write ? "It failed, and is known to have changed nothing." : "It could not look. That is not the same as finding nothing.";
    case "uncertain":
      return "It may or may not have happened. It will not be run again by itself: look whether it did, then say so in its story.";
  }
  return "";
}

// looks is how a call is to look: by its outcome, or by how far it came.
function looks(call) {
  if (call.void || call.code === "incomplete_response") return "cut";
  if (call.skipped) return "skipped";
  if (call.outcome === "pending" && call.state === "parked" && call.approval && call.approval.state !== "waiting") return "waiting";
  if (call.outcome) return call.outcome;
  if (call.state === "pending") return call.approval && call.approval.state !== "waiting" ? "waiting" : "pending";
  if (call.state === "started" || call.state === "claimed") return "running";
  if (call.waiting) return "waiting";
  return call.saved ? "running" : "proposed";
}

function faults(problems) {
  return make("ul", { class: "faults" }, problems.map((p) => make("li", {}, make("code", {}, p.path || "/"), p.message)));
}

// inner lists the calls that an agent's call made, each with its story.
function inner(calls) {
  return make("ul", { class: "inner", "aria-label": "Calls that it made" }, calls.map((c) => make("li", {},
    c.ledger_id ? make("a", { href: "/calls/" + c.ledger_id, "data-link": "" }, c.tool) : c.tool, " ", pill(c.outcome, c.outcome), c.code ? " " + c.code : "")));
}

function pill(look, text) {
  return make("span", { class: "pill" }, make("span", { "aria-hidden": "true" }, SIGN[look] || "·"), text || WORD[look] || look);
}

// Card shows one call and changes as more is known of it.
class Card {
  constructor(call) {
    this.call = { problems: [], arguments: "", ...call };
    this.name = make("span", { class: "name" });
    this.fate = make("span");
    this.time = make("span", { class: "time" });
    this.steps = make("ol", { class: "steps", "aria-hidden": "true" }, STAGES.map(() => make("li")));
    this.args = make("pre", { class: "args", tabindex: "0", role: "group", "aria-label": "Arguments" });
    this.means = make("p", { class: "means" });
    this.faults = make("div");
    this.inner = make("div");
    this.more = make("div");
    this.acts = make("div", { class: "acts" });
    this.el = make("article", { class: "card" },
      make("header", {}, this.name, this.fate, this.time), this.steps,
      make("div", { class: "body" }, this.args, this.means, this.faults, this.inner, this.acts, this.more));
    this.draw();
  }

  // merge takes what is newly known; what is null of it was not known.
  merge(news) {
    for (const [k, v] of Object.entries(news)) {
      if (v !== null && v !== undefined) this.call[k] = v;
    }
    this.draw();
  }

  // append adds what is being written; of very much, the rest is shown once it
  // came whole.
  append(text) {
    const left = MOST - this.call.arguments.length;
    if (left <= 0) return;
    text = text.length > left ? text.slice(0, left) + " …" : text;
    this.call.arguments += text;
    this.args.append(text);
    this.args.hidden = false;
  }

  draw() {
    const c = this.call, look = looks(c);
    this.el.className = "card is-" + look;
    this.el.dataset.outcome = look;
    this.el.dataset.tool = c.tool || "";
    this.el.setAttribute("aria-label", `Call of ${c.tool || "a tool"}: ${this.word(look)}`);
    this.name.textContent = c.tool || "…";
    this.fate.replaceChildren(pill(look, this.word(look)));
    this.time.textContent = lasted(c.started || c.proposed, c.ended);
    const at = STAGES.indexOf(c.stage);
    const done = look === "ok";
    [...this.steps.children].forEach((li, i) => {
      li.className = done ? (i === STAGES.length - 1 ? "here" : "past") : i < at ? "past" : i === at ? "here" : "";
    });
    this.steps.title = at < 0 ? "" : `at ${c.stage}, ${at + 1} of ${STAGES.length}`;
    const shown = c.saved || c.outcome ? indent(c.arguments) : c.arguments;
    if (this.args.textContent !== shown) this.args.textContent = shown;
    this.args.hidden = !c.arguments;
    this.means.textContent = c.void ? "The reply broke off while this was written. Nothing of it ran." : means(c);
    this.means.hidden = !this.means.textContent;
    this.faults.replaceChildren(c.problems && c.problems.length ? faults(c.problems) : "");
    this.faults.hidden = !c.problems || !c.problems.length;
    this.inner.replaceChildren(c.inner && c.inner.length ? inner(c.inner) : "");
    this.inner.hidden = !c.inner || !c.inner.length;
    this.drawActs();
  }

  // word is the outcome in a word or two, with the stage that stopped the call.
  word(look) {
    const c = this.call;
    if (look === "waiting" && c.approval && (c.state === "pending" || c.state === "parked")) return (DECIDED[c.approval.state] || c.approval.state).toLowerCase() + ", not gone on with yet";
    if (look === "ok" && c.replayed) return "ok, replayed";
    if (look === "rejected" && c.stage) return "rejected at " + c.stage;
    if (look === "running" && c.stage && !c.outcome) return c.stage;
    return WORD[look] || look;
  }

  drawActs() {
    const c = this.call;
    if (!c.ledger_id || c.outcome === "pending" || !c.outcome) { this.acts.replaceChildren(); return; }
    if (this.acts.dataset.of === c.ledger_id + c.cut) return;
    this.acts.dataset.of = c.ledger_id + c.cut;
    const read = make("button", { type: "button", class: "plain", "aria-expanded": "false" }, "What the model read");
    read.addEventListener("click", () => this.toggle(read));
    this.acts.replaceChildren(read, make("a", { class: "button plain small", href: "/calls/" + c.ledger_id, "data-link": "" }, "Its story"));
    if (c.cut) {
      const whole = make("button", { type: "button", class: "plain" }, "Whole arguments");
      once(whole, this.more, async () => {
        const story = await api("GET", "/v1/calls/" + c.ledger_id);
        c.arguments = story.arguments; c.cut = false;
        this.draw();
      });
      this.acts.append(whole);
    }
  }

  async toggle(button) {
    if (this.more.firstChild) {
      this.more.replaceChildren();
      button.setAttribute("aria-expanded", "false");
      return;
    }
    try {
      const story = await api("GET", "/v1/calls/" + this.call.ledger_id);
      this.more.replaceChildren(make("pre", { class: "args", tabindex: "0", role: "group", "aria-label": "What the model read" }, indent(story.observation ?? "nothing yet")));
      button.setAttribute("aria-expanded", "true");
    } catch (e) { complain(this.more, e); }
  }
}
