// The script of field.html, which our server serves beside Argilla's own scripts. The record is
// the JSON that the page puts into the frame. Its text is hostile: it goes into text nodes and
// nowhere else.
const record = JSON.parse(document.getElementById("record").textContent);
const { turns, left_out } = record.fields.transcript;
const page = parent.document;
const list = document.getElementById("turns");
const whole = document.getElementById("whole");

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
  line.append(["turn " + turn.number, turn.at].filter(Boolean).join(" · "));
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

function fold(block) {
  const button = make("button", "", "Show all of this turn");
  button.type = "button";
  block.classList.add("folded");
  button.onclick = () => {
    block.classList.toggle("folded");
    const folded = block.classList.contains("folded");
    button.textContent = folded ? "Show all of this turn" : "Show less";
    if (folded) showEvidence(block);
  };
  return button;
}

function draw(turn) {
  const item = make("li", "turn " + turn.role);
  const block = text(turn);
  item.append(head(turn), block);
  if (isLong(block)) item.append(fold(block));
  item.hidden = !turn.near;
  return item;
}

function gap(turnsBetween) {
  return make("li", "turn-gap", "… " + turnsBetween + (turnsBetween === 1 ? " turn" : " turns") + " …");
}

function drawAll() {
  let unseen = 0;
  for (const turn of turns) {
    if (turn.near && unseen) list.append(gap(unseen));
    unseen = turn.near ? 0 : unseen + 1;
    list.append(draw(turn));
  }
  if (unseen) list.append(gap(unseen));
  if (left_out) list.append(make("li", "turn-gap far", left_out + " turns further away are left out"));
}

function showWhole() {
  for (const item of list.children) {
    const isGap = item.classList.contains("turn-gap") && !item.classList.contains("far");
    item.hidden = isGap;
  }
  whole.hidden = true;
  showEvidence(list);
}

function showEvidence(box) {
  const mark = box.querySelector("mark");
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
  if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab" || forButton) return;
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
  else if (event.key === "w" && !whole.hidden) showWhole();
  else return;
  event.preventDefault();
}
page.addEventListener("keydown", shortcut);
addEventListener("pagehide", () => page.removeEventListener("keydown", shortcut));

drawAll();
const hiddenTurns = turns.filter((turn) => !turn.near).length;
whole.hidden = hiddenTurns === 0;
whole.textContent = "Show the whole conversation (" + turns.length + " turns): key W";
whole.onclick = showWhole;
addEventListener("load", () => {
  bound();
  fit();
  list.querySelectorAll(".folded").forEach(showEvidence);
  showEvidence(list);
  new ResizeObserver(fit).observe(document.getElementById("conversation"));
});
