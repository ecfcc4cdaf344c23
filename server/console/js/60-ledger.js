// The ledger: every call, filtered, and as it comes.

const OUTCOMES = [["", "any"], ["ok", "ok"], ["rejected", "rejected"], ["failed", "failed"], ["uncertain", "uncertain"], ["pending", "pending"], ["started", "running"], ["parked", "waits for its own calls"]];
const SPANS = [["", "any time"], ["3600", "the last hour"], ["86400", "the last day"], ["604800", "the last 7 days"], ["2592000", "the last 30 days"], ["between", "between …"]];

async function ledgerView(main, info) {
  const view = new Ledger(main, info);
  await view.begin();
  return view;
}

class Ledger {
  constructor(main, info) {
    this.el = column(main, true, "Ledger", "Every call that was ever proposed, and what became of it.", this.switch());
    this.many = !info.token || can("admin"); // several people's calls may be here
    this.form = this.filters(info);
    this.body = make("tbody");
    this.more = make("button", { type: "button", hidden: true }, "Show older");
    this.wrong = make("div");
    this.unsure = make("section", { class: "part", "aria-label": "Uncertain calls" });
    const heads = ["When", "Tool", "Outcome", "Arguments", this.many ? "For" : "", "Took"].filter(Boolean);
    this.table = make("table", { "aria-label": "Calls" }, make("thead", {}, make("tr", {}, heads.map((h) => make("th", { scope: "col" }, h)))), this.body);
    this.empty = make("p", { class: "empty", hidden: true }, "No call is recorded here.");
    this.el.append(this.unsure, this.form, this.table, this.empty, this.wrong, make("div", { class: "row" }, this.more));
    this.next = null;
    this.asked = 0;
    this.form.addEventListener("change", () => this.changed());
    this.form.addEventListener("submit", (e) => e.preventDefault());
    once(this.more, this.wrong, () => this.load(true));
  }

  async begin() {
    this.listen();
    await Promise.all([this.load(false), this.doubts()]);
  }

  close() { if (this.feed) this.feed.close(); }

  // switch turns the live view on and off.
  switch() {
    this.live = make("input", { type: "checkbox", role: "switch", checked: true });
    this.told = make("span", { class: "soft small" });
    this.live.addEventListener("change", () => this.listen());
    return make("div", { class: "row" }, make("label", { class: "live" }, this.live, "Live"), this.told);
  }

  // listen is told what is new in the record, by whatever process.
  listen() {
    this.close();
    this.told.textContent = "";
    if (!this.live.checked) return;
    this.feed = new EventSource("/v1/events");
    this.feed.addEventListener("ready", () => { this.told.textContent = "as it comes"; });
    this.feed.addEventListener("error", () => { this.told.textContent = "connecting …"; });
    this.feed.addEventListener("call", (e) => this.news(JSON.parse(e.data).call));
  }

  // news puts a call where it belongs: in its row, at the top, or nowhere.
  news(call) {
    if (this.late) this.late.push(call); // the page that is being loaded may not have it
    const old = document.getElementById("row-" + call.ledger_id);
    const fits = this.fits(call);
    if (old && fits) old.replaceWith(this.row(call, true));
    else if (old) old.remove();
    else if (fits) this.body.prepend(this.row(call, true));
    this.shown();
    if (call.state === "uncertain" || (this.doubted && this.doubted.has(call.ledger_id))) this.doubts().catch(() => {});
  }

  fits(call) {
    const f = new FormData(this.form), who = call.principal;
    if (f.get("span") === "between" && f.get("to")) return false; // what is new is not in the past
    return (!f.get("tool") || f.get("tool") === call.tool) && (!f.get("outcome") || f.get("outcome") === call.state) &&
      (!f.get("run") || f.get("run") === call.run) && (!f.get("principal") || [who.id, who.tenant + "/" + who.id].includes(f.get("principal")));
  }

  filters(info) {
    const q = new URLSearchParams(location.search);
    const pick = (name, label, options) => make("label", {}, label,
      make("select", { name }, options.map(([v, text]) => make("option", { value: v, selected: (q.get(name) || "") === v }, text))));
    const write = (name, label) => make("label", {}, label, make("input", { name, value: q.get(name) || "", placeholder: "any", autocomplete: "off" }));
    const tools = [["", "any"], ...info.tools.map((t) => [t.name, t.name])];
    if (q.get("tool") && !tools.some(([v]) => v === q.get("tool"))) tools.push([q.get("tool"), q.get("tool")]);
    const time = (name, label) => make("label", { hidden: q.get("span") !== "between" }, label, make("input", { type: "datetime-local", name, value: q.get(name) || "" }));
    this.from = time("from", "From");
    this.to = time("to", "To");
    return make("form", { class: "filters", role: "search", "aria-label": "Filter" },
      pick("tool", "Tool", tools), pick("outcome", "Outcome", OUTCOMES), pick("span", "When", SPANS), this.from, this.to,
      write("run", "Conversation"), this.many ? write("principal", "For") : null);
  }

  async changed() {
    const f = new FormData(this.form);
    this.from.hidden = this.to.hidden = f.get("span") !== "between";
    const kept = new URLSearchParams([...f].filter(([, v]) => v));
    history.replaceState(null, "", "/ledger" + (kept.size ? "?" + kept : ""));
    try {
      await this.load(false);
      say(count(this.body.children.length, "call") + (this.next ? " and older ones" : ""));
    } catch (e) { complain(this.wrong, e); }
  }

  query() {
    const f = new FormData(this.form), ask = new URLSearchParams({ limit: "50" }), span = f.get("span");
    for (const name of ["tool", "outcome", "run", "principal"]) if (f.get(name)) ask.set(name, f.get(name));
    if (span === "between") {
      if (f.get("from")) ask.set("since", new Date(f.get("from")).toISOString());
      if (f.get("to")) ask.set("until", new Date(f.get("to")).toISOString());
    } else if (span) ask.set("since", new Date(Date.now() - span * 1000).toISOString());
    return ask;
  }

  async load(on) {
    const mine = ++this.asked, ask = this.query();
    if (on && this.next) ask.set("before", this.next);
    const late = this.late = [];
    const page = await api("GET", "/v1/calls?" + ask).finally(() => { if (mine === this.asked) this.late = null; });
    if (mine !== this.asked) return;
    const rows = page.calls.filter((c) => !on || !document.getElementById("row-" + c.ledger_id)).map((c) => this.row(c));
    if (on) this.body.append(...rows); else this.body.replaceChildren(...rows);
    this.next = page.next;
    this.more.hidden = !this.next;
    this.shown();
    late.forEach((call) => this.news(call));
  }

  shown() {
    this.empty.hidden = this.body.children.length > 0;
    this.table.hidden = !this.empty.hidden;
  }

  row(c, fresh) {
    const look = looks({ ...c, saved: true }), who = c.principal;
    return make("tr", { id: "row-" + c.ledger_id, class: fresh ? "fresh" : null }, make("td", { class: "tight" }, when(c.proposed)),
      make("td", {}, make("a", { href: "/calls/" + c.ledger_id, "data-link": "", class: "mono" }, c.tool)),
      make("td", {}, make("span", { class: "state is-" + look }, make("span", { "aria-hidden": "true" }, (SIGN[look] || "·") + " "), c.outcome || c.state),
        c.code ? make("span", { class: "soft small" }, " " + c.code) : "", c.replayed ? make("span", { class: "soft small" }, " replayed") : ""),
      make("td", {}, make("span", { class: "line mono" }, c.arguments)),
      this.many ? make("td", { class: "tight" }, who.id) : null,
      make("td", { class: "tight" }, lasted(c.started || c.proposed, c.ended)));
  }

  // doubts lists the calls that somebody must look after.
  async doubts() {
    const { calls } = await api("GET", "/v1/calls?outcome=uncertain&limit=20");
    this.doubted = new Set(calls.map((c) => c.ledger_id));
    this.unsure.replaceChildren(...(calls.length ? [make("h2", {}, "It is not known whether these happened"),
      make("p", { class: "soft" }, "They will not run again by themselves, and calls like them are held back. Look in the place that they write to, then say in a call's story what you found."),
      make("ul", { class: "list" }, calls.map((c) => make("li", {}, make("a", { class: "item card is-uncertain", href: "/calls/" + c.ledger_id, "data-link": "" },
        make("span", { class: "row" }, make("code", {}, c.tool), pill("uncertain"), make("span", { class: "soft small" }, when(c.proposed))),
        make("code", { class: "soft" }, c.arguments), make("span", { class: "small" }, c.message || "")))))] : []));
  }
}
