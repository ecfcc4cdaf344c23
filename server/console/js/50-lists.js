// Lists of approvals and of conversations.

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
