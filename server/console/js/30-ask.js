// A question to a person: everything that the decision is bound to, whole.

const DECIDED = {
  approved: "Approved", consumed: "Approved and run", denied: "Denied", expired: "Expired: nobody decided in time",
  void: "Void: what it was about changed", withdrawn: "Withdrawn",
};

// Ask shows an approval. decided is told what the server answers.
class Ask {
  constructor(approval, { decided, link } = {}) {
    this.decided = decided || (() => {});
    this.link = link;
    this.el = make("article", { class: "ask" });
    this.draw(approval);
  }

  draw(a) {
    this.approval = a;
    const open = a.state === "waiting";
    const id = "ask-" + a.approval_id;
    this.el.className = open ? "ask" : "ask done";
    this.el.dataset.state = a.state;
    this.el.setAttribute("aria-labelledby", id);
    this.wrong = make("div");
    this.el.replaceChildren(
      make("header", {},
        make("h3", { id }, open ? "May " : "", make("code", {}, a.tool), open ? " run?" : ""),
        pill(open ? "pending" : a.state === "denied" ? "rejected" : "ok", open ? (can("approve") ? "waits for you" : "waits") : DECIDED[a.state] || a.state)),
      a.why ? make("p", {}, a.why) : "",
      a.labels.length && open ? make("p", { class: "warn" }, "Text of strangers is in this conversation (" + a.labels.map((l) => l.split(":")[1] || l).join(", ") +
        "). Look whether this call is what you asked for, and not what they did.") : "",
      a.unresolved ? make("p", { class: "warn maybe" }, "An earlier call of this tool may or may not have happened: ",
        make("a", { href: "/calls/" + a.unresolved, "data-link": "" }, "look at it first"), ".") : "",
      a.changed.length ? make("p", { class: "warn" }, "Changed since this was asked before: " + a.changed.join(", ")) : "",
      a.changes.length ? make("div", { class: "change", role: "group", "aria-label": "What would change" }, a.changes.map(change))
        : a.shown ? make("div", {}, make("p", { class: "small soft" }, "Found there now"), make("pre", { class: "args" }, indent(a.shown))) : "",
      !open && !this.link ? "" : make("div", {}, make("p", { class: "small soft" }, "Exactly these arguments"),
        make("pre", { class: a.arguments.length > 4000 ? "args long" : "args", tabindex: "0", role: "group", "aria-label": "Exactly these arguments" }, indent(a.arguments, 0))),
      this.facts(a, open), !open ? "" : can("approve") ? this.form(a) : make("p", { class: "note" }, "Whoever may approve decides."), this.wrong);
  }

  facts(a, open) {
    const row = (name, value) => value ? [make("dt", {}, name), make("dd", {}, value)] : [];
    return make("dl", {},
      row("For", a.principal.tenant ? a.principal.tenant + "/" + a.principal.id : a.principal.id),
      row("Asked", when(a.requested)), row("Expires", open ? ahead(a.expires) : null),
      row("Decided", a.decided ? make("span", {}, a.decided_by + ", ", when(a.decided)) : null),
      row("Reason", a.reason),
      row("Rule", open ? a.rule : null),
      row("Saved", a.saved ? "a rule for calls like it: " + a.saved : null),
      row("Instead", a.edited ? make("a", { href: "/calls/" + a.edited, "data-link": "" }, "the call that was made with other arguments") : null),
      row("Within", a.within ? make("a", { href: "/calls/" + a.within.ledger_id, "data-link": "" }, "a call of " + a.within.tool) : null),
      row("Where", this.link && !a.run.startsWith("edit-") ? make("a", { href: "/runs/" + encodeURIComponent(a.within ? a.within.run : a.run), "data-link": "" }, "the conversation") : null));
  }

  form(a) {
    const reason = make("input", { type: "text", maxlength: "500", autocomplete: "off" });
    const yes = make("button", { type: "button", class: "main" }, "Approve");
    const no = make("button", { type: "button" }, "Deny");
    const other = make("button", { type: "button", "aria-expanded": "false" }, "Edit");
    const edit = make("div", { hidden: true }), args = make("textarea", { rows: "6", class: "mono", spellcheck: "false" });
    const instead = make("button", { type: "button", class: "main" }, "Make this call instead");
    args.value = indent(a.arguments, 0);
    edit.append(make("label", {}, "The arguments that you want. This call is then denied, and yours is made.", args), make("p", { class: "row" }, instead));
    edit.style.display = "grid"; edit.style.gap = "8px";
    other.addEventListener("click", () => {
      edit.hidden = !edit.hidden;
      other.setAttribute("aria-expanded", String(!edit.hidden));
      if (!edit.hidden) args.focus();
    });
    const send = async (how, body) => {
      const at = performance.now();
      try {
        const answer = { ...await api("POST", `/v1/approvals/${a.approval_id}/${how}`, body), at };
        this.draw(answer.approval);
        say(DECIDED[answer.approval.state] || answer.approval.state);
        this.decided(answer);
      } catch (e) {
        if (e.code !== "already_decided") throw e;
        this.draw(e.doc.approval);
        this.wrong.replaceChildren(make("p", { class: "warn" }, `This was decided before you: ${DECIDED[e.doc.approval.state] || e.doc.approval.state}. Your decision changed nothing.`));
        shout("This was decided before you.");
        this.decided({ approval: e.doc.approval });
      }
    };
    const always = make("button", { type: "button", "aria-expanded": "false" }, "Always\u2026");
    const rule = this.always(a, (body) => send("always", { ...body, reason: reason.value }));
    always.addEventListener("click", () => {
      rule.hidden = !rule.hidden;
      always.setAttribute("aria-expanded", String(!rule.hidden));
      if (!rule.hidden) rule.show();
    });
    once(yes, this.wrong, () => send("approve", { reason: reason.value }));
    once(no, this.wrong, () => send("deny", { reason: reason.value }));
    once(instead, this.wrong, () => send("edit", { arguments: args.value, reason: reason.value }));
    return make("div", { class: "part" }, make("label", {}, "Reason (if you say no, the model reads it)", reason),
      make("div", { class: "buttons" }, yes, no, a.within ? "" : other, always), edit, rule);
  }

  // always offers to agree to calls like this one too. The rule is shown whole, as
  // the server would save it, before it can be saved; what is shown is what is saved.
  always(a, save) {
    const words = make("pre", { class: "args", tabindex: "0", role: "group", "aria-label": "The rule that would be saved" });
    const keep = make("button", { type: "button", class: "main", disabled: true }, "Approve and save this rule");
    const wider = make("fieldset", { class: "wider" }, make("legend", {}, "May be anything, or left out"));
    const wrong = make("div");
    const el = make("div", { class: "always", hidden: true },
      make("p", { class: "small soft" }, "Calls like it then run without asking:"), words, wider, make("p", { class: "row" }, keep), wrong);
    const free = () => [...wider.querySelectorAll("input:checked")].map((box) => box.value);
    let shown = null;
    el.show = async () => {
      keep.disabled = true;
      const asked = free();
      try {
        const r = await api("POST", `/v1/approvals/${a.approval_id}/rule`, { free: asked });
        if (asked.join() !== free().join()) return;
        shown = { free: asked, fingerprint: r.fingerprint };
        words.textContent = r.words.join("\n");
        wrong.replaceChildren();
        if (!wider.querySelector("input")) wider.append(...r.arguments.map((name) => make("label", { class: "inline" },
          make("input", { type: "checkbox", value: name, onchange: () => el.show() }), name)));
        wider.hidden = !r.arguments.length;
        keep.disabled = false;
      } catch (e) {
        words.hidden = wider.hidden = keep.hidden = true;
        wrong.replaceChildren(make("p", { class: "warn" }, e.message));
      }
    };
    once(keep, wrong, () => save(shown));
    return el;
  }
}

function change(c) {
  return make("div", {}, make("span", { class: "what" }, c.what),
    make("del", { "aria-label": "now " + c.old }, c.old), make("span", { "aria-hidden": "true" }, "→"), make("ins", { "aria-label": "then " + c.new }, c.new));
}
