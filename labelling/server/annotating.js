// Makes Argilla's page of a queue fit for everybody: each control has its question's name, what a
// question means stands under it, own progress is in sight, and the keyboard never gets lost.
// Attributes alone are set (and shown by style), since the page draws its elements anew at will.
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const one = (selector, within = document) => within.querySelector(selector);
  const set = (element, name, value) => {
    if (element && element.getAttribute(name) !== value) element.setAttribute(name, value);
  };

  function nameControls() {
    for (const question of all(".questions > [aria-label^='Question:']")) {
      const head = one(".title-area", question);
      const help = head && one("[role=tooltip]", head);
      const title = head?.getAttribute("aria-label");
      if (!title) continue;
      set(question, "role", "listitem");
      set(head, "data-help", help?.getAttribute("aria-label") ?? "");
      for (const group of all(".inputs-area", question)) {
        set(group, "aria-label", title);
        if (help) set(group, "aria-describedby", help.id);
      }
      // A choice is one control, not a button around another
      for (const around of all(".input-button, span[role=textbox]", question)) {
        set(around, "role", "none");
      }
      for (const box of all("[contenteditable]", question)) {
        set(box, "role", "textbox");
        set(box, "aria-multiline", "true");
        set(box, "aria-label", title);
      }
    }
    set(one(".resizable-h__down .panel__header"), "aria-label", "Guidelines");
    set(one(".wrapper__right .panel__header"), "aria-label", "My progress");
  }

  // What the page itself asks for tells how far this person is.
  let mine = null;
  const open = XMLHttpRequest.prototype.open;
  XMLHttpRequest.prototype.open = function (method, url, ...more) {
    if (/\/me\/datasets\/[^/]+\/metrics$/.test(url)) {
      this.addEventListener("load", () => note(this));
    }
    return open.call(this, method, url, ...more);
  };

  function note(request) {
    const text = request.responseType === "json" ? request.response : JSON.parse(request.response);
    mine = text?.responses ?? null;
    refresh();
  }

  const answered = () => mine.submitted + mine.discarded;

  function ending() {
    const drafts = mine.draft === 1 ? "1 answer is a draft" : mine.draft + " answers are drafts";
    if (mine.draft) {
      return "Nothing else waits for you, but " + drafts + ": submit them (choose Draft above).";
    }
    if (!mine.total || !answered()) return "There is nothing to label here at the moment.";
    const done = "You are done, thank you. " + answered() + " of " + mine.total + " here are yours.";
    return done + " To look at one again, choose Submitted above.";
  }

  function showProgress() {
    const status = new URLSearchParams(location.search).get("status") ?? "pending";
    const empty = one(".wrapper--empty .wrapper__text");
    set(document.body, "data-done", String(Boolean(empty)));
    if (!mine) return;
    const left = mine.pending ? mine.pending + " to go" : "none left";
    const drafts = mine.draft ? ", " + mine.draft + " as a draft" : "";
    set(
      one(".questions-form"),
      "data-progress",
      "You: " + answered() + " of " + mine.total + " answered" + drafts + ", " + left,
    );
    if (!empty || status !== "pending") return;
    const sentence = ending();
    if (empty.textContent !== sentence) empty.textContent = sentence;
    say(sentence);
  }

  // Read aloud as it changes: the next statement, or that there is none.
  const said = document.createElement("div");
  said.id = "gates-said";
  said.setAttribute("role", "status");
  function say(words) {
    if (said.textContent !== words) said.textContent = words;
  }

  function announce() {
    if (!said.isConnected) document.body.append(said);
    const statement = one(".fields .content-area > div");
    if (!statement || one(".wrapper--empty")) return;
    say("Next: " + statement.textContent.slice(0, 300).trim()); // it may be a megabyte
  }

  let waiting = false;
  function refresh() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      if (!one(".questions-form")) return;
      nameControls();
      announce();
      showProgress();
    });
  }

  // A number pressed outside the questions is meant for the first one without an answer; where
  // passages are marked, for the label to mark them with, which is the first question there.
  const typing = "[contenteditable], textarea, input:not([type=checkbox]):not([type=radio])";
  document.addEventListener("keydown", (event) => {
    if (!/^[1-9]$/.test(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.(typing) || event.target.closest?.(".questions-form")) return;
    const marking = one("[class^=span-annotation__field]");
    const groups = all(".questions .inputs-area");
    const open = groups.find((group) => marking || !one(".label-active", group));
    const choice = open && all("input", open)[Number(event.key) - 1];
    if (!choice) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    choice.focus();
    choice.click();
  }, true);

  const style = document.createElement("style");
  style.textContent = `
    #gates-said { clip-path: inset(50%); height: 1px; overflow: hidden; position: absolute; width: 1px; }
    .questions .title-area::after {
      color: var(--fg-secondary); content: attr(data-help); display: block; font-size: 0.8em;
      font-weight: 400; line-height: 1.35; padding-top: 2px;
    }
    .input-button .label-text { height: auto !important; }
    .input-button .label-text__text { text-align: start; text-overflow: clip; white-space: normal !important; }
    .questions-form::before {
      color: var(--fg-secondary); content: attr(data-progress); font-size: 0.85em;
      padding: 8px 16px 0;
    }
    [data-done=true] .questions-form { visibility: hidden; }
    .team-progress::before { color: var(--fg-secondary); content: "Team:"; font-size: 0.85em; }
    /* The keyboard's place is no answer yet */
    .input-button input[type=checkbox]:focus + div .label-text:not(.label-active) {
      outline: 2px dashed var(--fg-secondary); outline-offset: 2px;
    }
    /* Argilla draws its own style sheet's line ends as empty lines */
    .text_field_component .content-area { white-space: normal !important; }
    .text_field_component .content-area > div,
    .text_field_component [class^=span-annotation__field] { white-space: pre-wrap; }
  `;
  document.head.append(style);
  new MutationObserver(refresh).observe(document, { childList: true, subtree: true });
})();
