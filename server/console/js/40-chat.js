// The conversation: what the record holds, and what happens just now.

const ENDS = {
  round_limit: "The turn ended at its limit of rounds.",
  incomplete: "The model's reply stayed incomplete.",
  error: "The model could not be asked, or its reply broke off. Nothing of that reply ran.",
  cancelled: "The turn was cancelled.",
};

class Chat {
  constructor(main, info, run) {
    this.info = info;
    this.run = run;
    this.rounds = new Map();
    this.log = make("div", { class: "log", role: "log", "aria-label": "Conversation", "aria-live": "off" });
    this.input = make("textarea", { rows: "1", id: "message", "aria-label": "Your message", placeholder: "Write a message", maxlength: "20000", enterkeyhint: "send" });
    this.send = make("button", { type: "submit", class: "main" }, "Send");
    this.stop = make("button", { type: "button", hidden: true }, "Stop");
    this.status = make("span", {});
    this.wrong = make("div");
    this.form = make("form", { class: "composer" }, this.wrong,
      make("div", { class: "box" }, this.input, this.send, this.stop),
      make("div", { class: "foot" }, this.status, make("span", { class: "keys" }, "Enter sends, Shift+Enter starts a line")));
    this.el = make("div", { class: "chat" }, make("h1", { class: "unseen" }, "Chat with " + info.catalog), this.log, this.form);
    main.replaceChildren(this.el);
    this.form.addEventListener("submit", (e) => { e.preventDefault(); this.submit(this.input.value); });
    this.input.addEventListener("keydown", (e) => {
      if (e.key === "Enter" && !e.shiftKey && !e.isComposing) { e.preventDefault(); this.form.requestSubmit(); }
    });
    this.input.addEventListener("input", () => this.grow());
    once(this.stop, this.wrong, () => api("POST", `/v1/runs/${this.run}/cancel`, {}));
    this.onVisible = () => this.seen();
    document.addEventListener("visibilitychange", this.onVisible);
    this.rest();
    this.mine = can("propose");
    if (run) this.listen(); else this.welcome();
    if (!this.mine) this.hush("This token may look and not write: it lacks the scope propose.");
    else if (matchMedia("(pointer: fine)").matches) this.input.focus();
  }

  close() {
    document.removeEventListener("visibilitychange", this.onVisible);
    if (this.source) this.source.close();
    clearInterval(this.poll);
  }

  // seen keeps a page that nobody looks at from holding a connection.
  seen() {
    if (document.hidden && this.source && !this.running) { this.source.close(); this.source = null; }
    else if (!document.hidden && this.run && !this.source) this.listen();
  }

  // hush takes away what whoever looks may not use, and says why.
  hush(why) {
    this.form.hidden = true;
    if (!this.why) {
      this.why = make("p", { class: "note" });
      this.el.append(this.why);
    }
    this.why.textContent = why;
  }

  welcome() {
    const i = this.info;
    const said = i.scripted
      ? "The model here is scripted: it plays prepared replies and understands only what its script holds. The tools, the data, the checks and the record are real."
      : `You talk to ${i.model}. Each call that it proposes passes the gate before anything runs, and is recorded.`;
    this.log.replaceChildren(make("div", { class: "welcome" },
      make("h2", {}, i.catalog === "coach" ? "Ask the gym coach" : "Talk to " + i.catalog), make("p", {}, said),
      i.hints.length && this.mine ? make("ul", { class: "tries", "aria-label": "Try one of these" }, i.hints.map((h) =>
        make("li", {}, make("button", { type: "button", onclick: () => this.submit(h) }, h)))) : ""));
  }

  grow() {
    this.input.style.height = "auto";
    this.input.style.height = Math.min(this.input.scrollHeight, 200) + "px";
  }

  async submit(message) {
    if (!message.trim() || this.sending) return;
    if (this.running || this.waits) {
      this.wrong.replaceChildren(make("p", { class: "warn" }, this.waits ? "This conversation waits for the decision above; decide it first." : "Wait until this turn has ended, or stop it."));
      return;
    }
    this.sending = true;
    this.wrong.replaceChildren();
    try {
      if (!this.run) {
        this.run = (await api("POST", "/v1/runs", {})).run;
        history.replaceState(null, "", "/runs/" + encodeURIComponent(this.run));
        this.log.replaceChildren();
        this.listen();
      }
      this.near = true;
      await api("POST", `/v1/runs/${this.run}/turns`, { message });
      this.input.value = "";
      this.grow();
    } catch (e) {
      complain(this.wrong, e);
      if (!this.input.value) this.input.value = message;
    }
    this.sending = false;
  }

  listen() {
    const source = this.source = new EventSource(`/v1/runs/${encodeURIComponent(this.run)}/events`);
    const queue = [];
    const on = (name, f) => source.addEventListener(name, (e) => {
      if (queue.push([f, e.data]) === 1) soon(() => { if (this.source === source) this.take(queue); });
    });
    on("snapshot", (v) => this.snapshot(v));
    on("turn", (v) => { this.turn({ ...v, message: v.shown ?? v.message, rounds: [] }); this.work(true); });
    on("text", (v) => this.round(v).text(v));
    on("reasoning", (v) => this.round(v).reasoning(v));
    on("calling", (v) => this.round(v).card(v.position, { tool: v.tool }));
    on("arguments", (v) => this.round(v).argument(v));
    on("restart", (v) => this.round(v).restart());
    on("usage", (v) => this.round(v).save());
    on("call", (v) => this.round(v).call(v));
    on("stage", (v) => this.stage(v));
    on("outcome", (v) => this.outcome(v));
    on("approval", (v) => this.outcome(v));
    on("inner", (v) => this.round(v).card(v.position, { inner: v.inner }));
    on("handoff", (v) => this.handedTo(this.round(v).el, v.to));
    on("end", (v) => this.end(v));
    on("fault", (v) => { this.work(false); complain(this.wrong, new Problem(v)); this.offer(); });
    source.onerror = () => {
      if (this.source !== source) return;
      this.status.textContent = "Connecting again …";
      if (source.readyState === EventSource.CLOSED) this.gone();
    };
    source.onopen = () => this.rest();
  }

  // take lets all that came since the last frame be seen at once.
  take(queue) {
    const near = this.near || innerHeight + scrollY > document.documentElement.scrollHeight - 120;
    this.near = false;
    for (const [f, data] of queue.splice(0)) f(JSON.parse(data));
    if (this.asking) this.asking.scrollIntoView({ block: "start" });
    else if (near || this.near) scrollTo(0, document.documentElement.scrollHeight);
    this.asking = null;
    this.near = false;
  }

  // gone finds out why there is no stream: perhaps there is no such run.
  async gone() {
    try { await api("GET", "/v1/runs/" + encodeURIComponent(this.run)); setTimeout(() => { if (this.source) this.listen(); }, 2000); }
    catch (e) { complain(this.wrong, e); }
  }

  snapshot(v) {
    this.rounds.clear();
    this.waits = null;
    this.offered = null;
    this.agent = null;
    this.log.replaceChildren();
    this.mine = v.mine && can("propose");
    if (v.earlier) this.log.append(make("p", { class: "soft small" }, count(v.earlier, "earlier turn") + " are in the ledger."));
    for (const t of v.turns) this.turn(t);
    if (!v.turns.length && !v.running && !this.sending) this.welcome();
    this.work(v.running);
    if (v.open && !v.running && !this.waits) this.offer();
    const p = v.principal, me = this.info.principal;
    if (v.catalog !== this.info.catalog) this.hush(`This conversation belongs to ${v.catalog} and cannot go on here.`);
    else if (p.tenant !== me.tenant || p.id !== me.id) this.hush(`This conversation acts for ${p.tenant}/${p.id}, for whom nobody else speaks.`);
    else if (!v.mine) this.hush("This conversation is within a call of another, and goes on with that one.");
    this.near = true;
    document.title = (v.turns.length ? v.turns[0].message.slice(0, 50) + " – " : "") + "Holdfast";
  }

  turn(t) {
    const key = "t" + t.turn;
    if (this.rounds.has(key)) return this.rounds.get(key);
    if (this.log.querySelector(".welcome")) this.log.replaceChildren();
    const el = make("section", { class: "turn", "aria-label": "Turn " + t.turn }, make("p", { class: "said" }, make("span", { class: "unseen" }, "You: "), t.message));
    this.log.append(el);
    this.rounds.set(key, el);
    for (const r of t.rounds) {
      const round = this.round({ turn: t.turn, round: r.round });
      if (r.agent && this.agent && r.agent !== this.agent) this.handedTo(round.el.previousElementSibling, r.agent);
      if (r.agent) this.agent = r.agent;
      if (r.reasoning) round.reasoning({ text: r.reasoning });
      if (r.text) round.text({ text: r.text });
      for (const c of r.calls) {
        round.card(c.position, { ...c, saved: r.saved });
        if (c.approval) this.ask(round, c);
      }
      if (r.saved) round.save();
    }
    if (t.end) this.ended(el, t.turn, t.end, t.answer);
    return el;
  }

  round(at) {
    const key = at.turn + "." + at.round;
    let r = this.rounds.get(key);
    if (!r) {
      r = new Round(at);
      this.rounds.set(key, r);
      const turn = this.turn({ turn: at.turn, message: "", rounds: [] });
      turn.insertBefore(r.el, turn.querySelector(":scope > .note, :scope > .busy"));
    }
    return r;
  }

  // handedTo says that another agent has the conversation, behind the round or the
  // message after which it has.
  handedTo(behind, agent) {
    this.agent = agent;
    behind.after(make("p", { class: "handed" }, "The conversation goes on with " + agent + "."));
  }

  stage(v) {
    const card = this.round(v).card(v.position, {});
    if (!card.call.outcome || card.call.outcome === "pending") card.merge({ tool: v.tool, stage: v.stage, saved: true, outcome: card.call.outcome === "pending" ? "" : null, state: "started", started: card.call.started || new Date().toISOString() });
  }

  outcome(v) {
    const round = this.round(v), card = round.card(v.position, {});
    const before = card.call.outcome;
    const ended = v.outcome && v.outcome !== "pending" && card.call.started ? card.call.ended || new Date().toISOString() : null;
    card.merge({ ...v, saved: true, ended });
    if (v.approval) this.ask(round, v);
    if (before !== v.outcome && v.outcome) say(`${v.tool}: ${card.word(looks(card.call))}`);
  }

  ask(round, call) {
    const a = call.approval, card = round.cards[call.position];
    if (a.state === "waiting") {
      this.waits = a.approval_id;
      card.asked = new Ask(a, { decided: (answer) => this.decidedOne(answer) });
      this.watch(card.asked);
    } else if (card.asked) card.asked.draw(a);
    else if (a.state === "denied" || a.state === "expired" || a.edited) card.asked = new Ask(a);
    else return;
    if (card.asked.el.parentNode !== round.el) card.el.after(card.asked.el);
    if (a.state === "waiting") {
      this.asking = card.asked.el;
      shout(`${a.tool} waits for your approval.`);
    }
    this.rest();
  }

  decidedOne(answer) {
    if (this.waits === answer.approval.approval_id) { this.waits = null; clearInterval(this.poll); }
    if (!answer.resumed && !this.running) this.offer();
    else if (answer.resumed) this.goesOn(answer.at);
    this.rest();
  }

  // goesOn says that a turn goes on since a moment, unless it has ended since.
  goesOn(at) { if (!(this.lastEnd > at)) this.work(true); }

  // watch finds out when somebody decides elsewhere.
  watch(ask) {
    clearInterval(this.poll);
    this.poll = setInterval(async () => {
      if (document.hidden || this.waits !== ask.approval.approval_id) return;
      try {
        const a = await api("GET", "/v1/approvals/" + this.waits);
        if (a.state === "waiting" || this.waits !== a.approval_id) return;
        ask.draw(a);
        say("It was decided elsewhere: " + (DECIDED[a.state] || a.state));
        this.decidedOne({ approval: a, resumed: false });
      } catch { /* the next look tells */ }
    }, 4000);
  }

  // offer lets a person go on with a turn that was left open.
  offer() {
    if (this.offered || this.running || !this.mine) return;
    const place = make("div");
    const on = make("button", { type: "button", class: "main" }, "Go on"), off = make("button", { type: "button" }, "Cancel the turn");
    this.offered = make("div", { class: "note" }, make("span", {}, "This turn was left open. What ran is recorded and will not run again."), make("span", { class: "row" }, on, off), place);
    once(on, place, async () => {
      const at = performance.now();
      await api("POST", `/v1/runs/${this.run}/resume`, {});
      this.goesOn(at);
    });
    once(off, place, async () => { await api("POST", `/v1/runs/${this.run}/cancel`, {}); });
    this.log.append(this.offered);
  }

  end(v) {
    this.lastEnd = performance.now();
    this.work(false);
    const el = this.rounds.get("t" + v.turn);
    if (!el) return;
    if (v.end === "pending") {
      if (!v.approval_id) this.offer();
      this.rest();
      return;
    }
    this.waits = null;
    const last = [...el.querySelectorAll(".reply")].pop();
    this.ended(el, v.turn, v.end, v.message);
    if (v.end === "answer" && last) say(last.textContent);
    else say(ENDS[v.end] || v.end);
    this.rest();
  }

  ended(el, turn, end, words) {
    if (this.offered) { this.offered.remove(); this.offered = null; }
    if (el.querySelector(":scope > .note")) return;
    for (const [key, r] of this.rounds) {
      if (key.startsWith(turn + ".")) r.over();
    }
    if (end === "answer") return;
    el.append(make("p", { class: "note" + (end === "error" ? " warn bad" : "") }, words || ENDS[end] || end));
  }

  // work says whether a turn goes on here.
  work(running) {
    this.running = running;
    if (running && this.offered) { this.offered.remove(); this.offered = null; }
    const last = [...this.log.querySelectorAll(".turn")].pop();
    if (!this.busy) this.busy = make("p", { class: "busy" }, "Working");
    if (running && last) last.append(this.busy); else this.busy.remove();
    this.rest();
  }

  rest() {
    this.stop.hidden = !this.running && !this.waits;
    this.stop.textContent = this.waits && !this.running ? "Cancel" : "Stop";
    this.send.hidden = !!(this.running || this.waits);
    this.status.textContent = this.waits ? "Waits for your decision above."
      : this.info.scripted ? "Scripted model: it knows only its script." : this.info.model;
  }
}

// Round is one reply of the model and its calls.
class Round {
  constructor(at) {
    this.at = at;
    this.cards = [];
    this.el = make("div", { class: "round" });
  }

  text(v) {
    if (this.saved) return; // a piece that a snapshot holds already
    if (!this.reply) { this.reply = make("p", { class: "reply" }); this.el.insertBefore(this.reply, this.el.querySelector(".card")); }
    this.reply.append(v.shown ?? v.text);
  }

  reasoning(v) {
    if (this.saved) return;
    if (!this.thought) {
      this.thought = make("p");
      this.el.prepend(make("details", { class: "thought" }, make("summary", {}, "Thinking"), this.thought));
    }
    this.thought.append(v.shown ?? v.text);
  }

  card(position, call) {
    if (!this.cards[position]) {
      this.cards[position] = new Card(call);
      this.el.append(this.cards[position].el);
    } else if (Object.keys(call).length) this.cards[position].merge(call);
    return this.cards[position];
  }

  argument(v) { if (!this.saved) this.card(v.position, {}).append(v.shown ?? v.text); }

  call(v) { this.save(); this.card(v.position, { tool: v.tool, arguments: v.arguments ?? "", cut: v.cut ?? false, saved: true }); }

  save() { this.saved = true; this.el.classList.remove("void"); }

  // restart: what was told of the reply is void, the stream began anew.
  restart() { this.cards = []; this.reply = this.thought = null; this.el.replaceChildren(); }

  // over: the turn ended. What was never saved is of a reply that broke off.
  over() {
    if (this.saved) return;
    this.el.classList.add("void");
    for (const c of this.cards) if (c && !c.call.outcome) c.merge({ void: true });
  }
}
