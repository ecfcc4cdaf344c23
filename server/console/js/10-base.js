"use strict";
// Small things that everything uses. Text from outside is only ever set as text.

// make makes an element: make("p", {class: "x", onclick: f}, "text", child, …).
function make(tag, props, ...children) {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) el.addEventListener(name.slice(2), value);
    else if (name in el && typeof value === "boolean") el[name] = value;
    else el.setAttribute(name, value);
  }
  el.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false && c !== ""));
  return el;
}

// Problem is an error that the server tells.
class Problem extends Error {
  constructor(doc) {
    super(doc.detail || "The server did not answer as it should.");
    this.doc = doc;
    this.code = doc.code;
  }
}

async function api(method, path, body) {
  let answer;
  try {
    answer = await fetch(path, {
      method,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Problem({ code: "unreachable", detail: "The server cannot be reached. Is holdfast serve still running?" });
  }
  const text = await answer.text();
  let doc = {};
  try { doc = text ? JSON.parse(text) : {}; } catch { doc = {}; }
  if (answer.status === 401 && path !== "/v1/session") signIn();
  if (!answer.ok) throw new Problem(doc);
  return doc;
}

// say tells a screen reader, politely; shout at once.
function say(text) { tell("say", text); }
function shout(text) { tell("shout", text); }
function tell(id, text) {
  const el = document.getElementById(id);
  el.textContent = "";
  setTimeout(() => { el.textContent = text; }, 50);
}

// soon does work before the next frame; a page that nobody sees has no frames.
function soon(work) {
  if (document.hidden) setTimeout(work, 0); else requestAnimationFrame(work);
}

function clock(at) {
  if (!at) return "";
  const t = new Date(at), now = new Date();
  const time = t.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  if (t.toDateString() === now.toDateString()) return time;
  const year = t.getFullYear() === now.getFullYear() ? undefined : "numeric";
  return t.toLocaleDateString([], { day: "numeric", month: "short", year }) + ", " + time;
}

function when(at) {
  if (!at) return null;
  return make("time", { datetime: at, title: new Date(at).toLocaleString() }, clock(at));
}

function lasted(from, to) {
  if (!from || !to) return "";
  const ms = new Date(to) - new Date(from);
  if (ms < 1) return "< 1 ms";
  return ms < 1000 ? Math.round(ms) + " ms" : (ms / 1000).toFixed(1) + " s";
}

function ahead(at) {
  const min = Math.round((new Date(at) - Date.now()) / 60000);
  if (min < 1) return "in less than a minute";
  return min < 90 ? `in ${min} minutes` : `in ${Math.round(min / 60)} hours`;
}

function count(n, one) { return n === 1 ? "1 " + one : n + " " + one + "s"; }

// indent lays JSON text out without reading it, so that every digit and escape
// stays as it is.
function indent(json, short = 64) {
  if (json.length < short || json.length > 200000) return json;
  let out = "", depth = 0, quoted = false;
  const line = () => "\n" + "  ".repeat(depth);
  for (let i = 0; i < json.length; i++) {
    const c = json[i];
    if (quoted) {
      out += c;
      if (c === "\\") out += json[++i] ?? "";
      else if (c === '"') quoted = false;
    } else if (c === '"') { quoted = true; out += c; }
    else if ((c === "{" || c === "[") && (json[i + 1] === "}" || json[i + 1] === "]")) out += c + json[++i];
    else if (c === "{" || c === "[") { depth++; out += c + line(); }
    else if (c === "}" || c === "]") { depth = Math.max(0, depth - 1); out += line() + c; }
    else if (c === ",") out += c + line();
    else if (c === ":") out += ": ";
    else if (!/\s/.test(c)) out += c;
  }
  return out;
}

// once lets a button do its work once at a time, and shows what goes wrong in
// the place given.
function once(button, place, work) {
  button.addEventListener("click", async () => {
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true");
    place.replaceChildren();
    try { await work(); } catch (e) { complain(place, e); }
    button.removeAttribute("aria-disabled");
  });
}

function complain(place, e) {
  const text = e instanceof Problem ? e.message : "Something went wrong on this page: " + e;
  const problems = e instanceof Problem && e.doc.problems ? e.doc.problems : [];
  place.replaceChildren(make("div", { class: "warn bad" }, make("p", {}, text), problems.length ? faults(problems) : null));
  shout(text);
}
