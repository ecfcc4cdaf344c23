// Which view an address shows, and who may look.

const app = { info: null, view: null, looking: 0 };

async function route() {
  const main = document.getElementById("main");
  if (app.view) app.view.close();
  app.view = null;
  const [, place, id] = location.pathname.split("/");
  const name = place === "" || (place === "runs" && id) ? "chat" : place === "calls" ? "ledger" : place;
  for (const a of document.querySelectorAll("nav a")) {
    if (a.dataset.view === name) a.setAttribute("aria-current", "page"); else a.removeAttribute("aria-current");
  }
  document.title = "Holdfast";
  try {
    if (!app.info) {
      app.info = await api("GET", "/v1/info");
      document.getElementById("where").textContent = app.info.catalog;
      whoAmI();
      lookForApprovals();
      app.looking ||= setInterval(() => { if (!document.hidden && location.pathname !== "/approvals") lookForApprovals(); }, 15000);
    }
    const here = location.href;
    const view = await show(main, place, id && decodeURIComponent(id));
    if (here === location.href || (view && view.run)) app.view = view; else if (view) view.close();
  } catch (e) {
    if (e.doc && (e.code === "token_needed" || e.code === "token_wrong")) return;
    const el = column(main, false, e.code === "not_found" ? "Nothing here" : "That did not work", "");
    const wrong = make("div");
    el.append(wrong);
    complain(wrong, e);
  }
}

function show(main, place, id) {
  switch (place) {
    case "": return new Chat(main, app.info, null);
    case "runs": return id ? new Chat(main, app.info, id) : runsView(main);
    case "approvals": return approvalsView(main, app.info, id);
    case "ledger": return ledgerView(main, app.info);
    case "calls": return callView(main, app.info, id);
  }
  throw new Problem({ code: "not_found", detail: "There is nothing at this address." });
}

// can reports whether whoever looks may do something of that scope.
function can(scope) { return !app.info || !app.info.token || app.info.scopes.includes(scope); }

// whoAmI says as whom this browser is signed in, and lets it sign out.
function whoAmI() {
  const el = document.getElementById("who"), p = app.info.principal;
  el.hidden = !app.info.token;
  if (el.hidden) return;
  const out = make("button", { type: "button", class: "plain" }, "Sign out");
  out.addEventListener("click", async () => {
    try { await api("DELETE", "/v1/session"); } catch { /* then its cookie is good still, and the next look says so */ }
    if (app.view) app.view.close();
    app.view = app.info = null;
    badge(0);
    history.replaceState(null, "", "/");
    signIn();
  });
  el.replaceChildren(make("span", { title: app.info.scopes.join(", ") }, p.tenant + "/" + p.id), out);
}

async function lookForApprovals() {
  if (!app.info || !can("read")) return;
  try { badge((await api("GET", "/v1/approvals")).approvals.length); } catch { /* the next look tells */ }
}

// badge shows how many questions wait; -1: one fewer.
function badge(n) {
  const el = document.getElementById("badge");
  if (n < 0) n = Math.max(0, Number(el.dataset.n || 0) + n);
  el.dataset.n = n;
  el.hidden = !n;
  el.replaceChildren(n > 99 ? "99+" : String(n), make("span", { class: "unseen" }, n === 1 ? " waits" : " wait"));
}

// signIn asks for the token that this server wants.
function signIn() {
  document.getElementById("who").hidden = true;
  const main = document.getElementById("main");
  if (main.querySelector("#token")) return;
  const el = column(main, false, "Sign in", "This server answers only to those who have its token.");
  const field = make("input", { type: "password", id: "token", autocomplete: "current-password" }), wrong = make("div");
  const button = make("button", { type: "submit", class: "main" }, "Sign in");
  const form = make("form", { class: "part" }, make("label", {}, "Token", field), make("div", { class: "row" }, button), wrong);
  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    try { await api("POST", "/v1/session", { token: field.value }); route(); } catch (err) { complain(wrong, err); field.select(); }
  });
  el.append(form);
  field.focus();
}

document.addEventListener("click", (e) => {
  const a = e.target.closest("a[data-link]");
  if (!a || e.defaultPrevented || e.button || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
  e.preventDefault();
  history.pushState(null, "", a.getAttribute("href"));
  scrollTo(0, 0);
  route().then(() => { if (document.activeElement === document.body || document.activeElement === a) document.getElementById("main").focus({ preventScroll: true }); });
});
addEventListener("popstate", route);
route();
