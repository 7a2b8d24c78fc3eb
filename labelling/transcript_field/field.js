// The script of field.html, which our server serves beside Argilla's own scripts. The record is
// the JSON that the page puts into the frame. Its text is hostile: it goes into text nodes and
// nowhere else.
const record = JSON.parse(document.getElementById("record").textContent);
const { turns, left_out, answer } = record.fields.transcript;
const page = parent.document;
const list = document.getElementById("turns");
const whole = document.getElementById("whole");
const next = control("next");
const long = control("long");
const reveal = control("reveal");
const known = control("known", "div");

// What the page of an older dataset has not.
function control(id, tag = "button") {
  const made = document.createElement(tag);
  made.id = id;
  made.hidden = true;
  if (tag === "button") made.type = "button";
  list.before(made);
  return made;
}

function make(tag, name, text = "") {
  const made = document.createElement(tag);
  made.className = name;
  made.textContent = text;
  return made;
}

function head(turn) {
  const line = make("div", "turn-head");
  const speaker = decodeURIComponent(turn.speaker);
  const named = speaker && speaker !== turn.role ? turn.role + " (" + speaker + ")" : turn.role;
  line.append(make("strong", "", named));
  line.append(["turn " + turn.number, turn.at && turn.at + " UTC"].filter(Boolean).join(" · "));
  if (turn.hidden) line.append(" · not shown to the user");
  return line;
}

function text(turn) {
  const block = make("div", "turn-text");
  block.dir = "auto";
  for (const piece of turn.pieces) {
    const tag = piece.as === "evidence" ? "mark" : "span";
    block.append(make(tag, piece.as, decodeURIComponent(piece.text)));
  }
  return block;
}

function isLong(block) {
  return block.textContent.length > 900 || block.textContent.split("\n").length > 12;
}

function press(words, name, act) {
  const button = make("button", name, words);
  button.type = "button";
  button.onclick = act;
  return button;
}

function fold(block) {
  const button = press("", "", () => setFolded(block, !block.classList.contains("folded")));
  folds.push([block, button]);
  setFolded(block, true);
  return button;
}

const folds = [];
function setFolded(block, folded) {
  const button = folds.find(([one]) => one === block)[1];
  block.classList.toggle("folded", folded);
  button.textContent = folded ? "Show all of this turn" : "Show less";
  button.setAttribute("aria-expanded", String(!folded));
  if (folded) showEvidence(block);
}

function foldAll() {
  const folded = long.textContent === FOLD;
  for (const [block] of folds) setFolded(block, folded);
  long.textContent = folded ? UNFOLD : FOLD;
  showEvidence(list);
}

function draw(turn) {
  const item = make("li", "turn " + turn.role);
  const block = text(turn);
  item.append(head(turn), block);
  if (isLong(block)) item.append(fold(block));
  item.hidden = !turn.near;
  return item;
}

// Turns that are not shown yet; pressing it shows them.
function gap(between) {
  const item = make("li", "turn-gap");
  const words = between.length === 1 ? "Show 1 turn" : "Show " + between.length + " turns";
  const open = () => {
    item.hidden = true;
    for (const turn of between) turn.hidden = false;
  };
  item.append(press("… " + words + " …", "", open));
  return item;
}

function drawAll() {
  let unseen = [];
  for (const turn of turns) {
    const drawn = draw(turn);
    if (turn.near && unseen.length) list.append(gap(unseen));
    unseen = turn.near ? [] : [...unseen, drawn];
    list.append(drawn);
  }
  if (unseen.length) list.append(gap(unseen));
  if (!turns.length) list.append(make("li", "far", "There is no conversation at hand."));
  if (left_out) list.append(make("li", "far", left_out + " turns further away are left out"));
}

let showsAll = false;
function showWhole() {
  showsAll = !showsAll;
  list.querySelectorAll(".turn").forEach((item, at) => (item.hidden = !showsAll && !turns[at].near));
  list.querySelectorAll(".turn-gap").forEach((item) => (item.hidden = showsAll));
  whole.textContent = showsAll ? FEWER : ALL;
  showEvidence(list);
}

// The marked words, one after the other.
let shown = 0;
function showNext() {
  const marks = list.querySelectorAll("mark");
  shown = (shown + 1) % marks.length;
  next.textContent = nextWords(marks.length);
  showEvidence(list, marks[shown]);
}

const nextWords = (marks) => "Marked words " + (shown + 1) + " of " + marks + ": key E for the next";

function showAnswer() {
  known.hidden = !known.hidden;
  reveal.setAttribute("aria-expanded", String(!known.hidden));
  reveal.textContent = known.hidden ? SHOW_ANSWER : "Hide what we would answer: key A";
}

function showEvidence(box, mark = box.querySelector("mark")) {
  if (!mark) return;
  const middle = mark.getBoundingClientRect().top - box.getBoundingClientRect().top;
  box.scrollTop += middle - box.clientHeight / 3;
}

// The conversation scrolls inside what is left of the window, so the statement stays in sight.
function bound() {
  const below = parent.innerHeight - frameElement.getBoundingClientRect().top;
  list.style.maxHeight = Math.max(240, Math.round(below) - 130) + "px";
}

function fit() {
  const height = document.getElementById("conversation").getBoundingClientRect().height;
  frameElement.style.height = Math.ceil(height) + "px";
}

// The page's shortcuts listen outside this frame: whatever had the focus gets it back after a
// click, or with the next key where text is selected (so that it can still be copied).
let outside = null;
function giveBack() {
  if (outside && outside.isConnected) outside.focus();
  else parent.focus();
}
addEventListener("pointerdown", () => {
  if (page.activeElement !== frameElement) outside = page.activeElement;
});
addEventListener("click", () => {
  if (getSelection().isCollapsed) giveBack();
});
addEventListener("keydown", (event) => {
  const forButton = event.target.tagName === "BUTTON" && ["Enter", " "].includes(event.key);
  const scrolls = event.target === list && /^(Arrow(Up|Down)|Page(Up|Down)|Home|End)$/.test(event.key);
  if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
  if (forButton || scrolls) return;
  event.preventDefault();
  giveBack();
  (outside || page.body).dispatchEvent(new parent.KeyboardEvent("keydown", event));
});

// The Tab key stays among the questions, so the keyboard reaches the conversation from there.
const typing = "[contenteditable], textarea, input:not([type=checkbox]):not([type=radio])";
function shortcut(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches?.(typing)) return;
  const screenful = { PageDown: 0.8, PageUp: -0.8 }[event.key];
  if (screenful) list.scrollTop += screenful * list.clientHeight;
  else if (KEYS[event.key] && !KEYS[event.key].hidden) KEYS[event.key].click();
  else return;
  event.preventDefault();
}
page.addEventListener("keydown", shortcut);
addEventListener("pagehide", () => page.removeEventListener("keydown", shortcut));

const ALL = "Show the whole conversation (" + turns.length + " turns): key W";
const FEWER = "Show only the turns around the marked words: key W";
const SHOW_ANSWER = "Show what we would answer: key A";
const FOLD = "Fold long turns: key F";
const UNFOLD = "Show long turns in full: key F";
const KEYS = { w: whole, e: next, f: long, a: reveal };

drawAll();
frameElement.title = "Conversation";
list.tabIndex = 0;
const marks = list.querySelectorAll("mark").length;
whole.hidden = turns.every((turn) => turn.near);
whole.textContent = ALL;
whole.onclick = showWhole;
next.hidden = marks < 2;
next.textContent = nextWords(marks);
next.onclick = showNext;
long.hidden = !folds.length;
long.textContent = UNFOLD;
long.onclick = foldAll;
reveal.hidden = !answer;
reveal.textContent = SHOW_ANSWER;
reveal.onclick = showAnswer;
reveal.setAttribute("aria-expanded", "false");
known.setAttribute("role", "region");
known.setAttribute("aria-label", "What we would answer");
known.setAttribute("aria-live", "polite");
if (answer) {
  const lines = decodeURIComponent(answer.answers).split("\n");
  known.append(...lines.map((line) => make("p", "known-answer", line)));
  known.append(make("p", "", decodeURIComponent(answer.why)));
}
addEventListener("load", () => {
  bound();
  fit();
  list.querySelectorAll(".folded").forEach((block) => showEvidence(block));
  showEvidence(list);
  new ResizeObserver(fit).observe(document.getElementById("conversation"));
});
