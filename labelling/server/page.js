// What the mended page calls; labelling/server/mends.py says where. Argilla's page sets text as
// HTML, and counts a text in UTF-16 units where the server counts code points.
const gates = (() => {
  const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  const address = (href) => (href ? " (" + escape(href) + ")" : "");

  // Overrides of the writing direction and control characters by their code, as our tasks show
  // them (labelling/untrusted.py): unseen, they would show something other than what is there.
  const unseen = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]/g;
  const code = (letter) => letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  const revealed = (words) => words.replace(unseen, (letter) => "[U+" + code(letter) + "]");

  // Text about to be set as HTML: it opens no tag. Entities still count, since our tasks write
  // their texts with them.
  const text = (value) => revealed(value == null ? "" : String(value)).replace(/</g, "&lt;");

  // For Markdown: its own HTML is text, and what leads elsewhere is shown instead of followed.
  const markdown = {
    html: escape,
    text,
    link: (href, _, words) => (words === href ? words : words + address(href)),
    image: (href, _, words) => escape(words) + address(href),
  };

  // A text of a megabyte would keep Markdown busy for minutes: it is shown as it is.
  const long = (words) =>
    words.length > 100_000 ? '<p style="white-space: pre-wrap">' + text(words) + "</p>" : "";

  const points = (span, unit) => Array.from(span.node.element.textContent.slice(0, unit)).length;

  // Stored spans for the page: the text's units instead of its code points.
  const inUnits = (whole, spans) => {
    const letters = Array.from(whole);
    const unit = (point) => letters.slice(0, point).join("").length;
    return spans.map((span) => ({ ...span, start: unit(span.start), end: unit(span.end) }));
  };

  // Where a selection lies in an element's only text: it may begin or end outside of it.
  const selected = (selection, element) => {
    const found = selection.getRangeAt(0);
    const inside = element.firstChild;
    if (!inside || !found.intersectsNode(inside)) return null;
    const from = found.startContainer === inside ? found.startOffset : 0;
    const to = found.endContainer === inside ? found.endOffset : inside.length;
    return from < to ? { from, to, element: inside } : null;
  };

  // Why the server refused: its sentence, where it gave one.
  const reason = (error) => {
    const detail = error?.response?.data?.detail;
    return typeof detail === "string" ? detail : String(error);
  };

  // Names and titles keep their marks of direction, which end with their element.
  const style = document.createElement("style");
  style.textContent = "* { unicode-bidi: isolate; }";
  document.head.append(style);

  // Beside the list of data sets.
  const home =
    "Open a dataset to work on it. New here? Begin with “practice”: it shows our answers and the " +
    "reasons, and nobody counts what you do there. “candidates” are statements to judge, " +
    "“transcripts” conversations to read whole, “adjudication” what two people split on, “audit” " +
    "what a memory holds today, and “pilot” a rehearsal that does not count.";

  return { home, text, revealed, markdown, long, points, inUnits, selected, reason };
})();

// A text to mark passages in: its headings (labelling/reading/pages.py) stand out, each line has its
// own direction, and the keyboard marks as the mouse does: M leads into the text, there arrow keys
// choose words, with Shift more of them, M marks what is chosen, Delete takes the mark back whose
// label is nearest, and Escape leads out.
(() => {
  const field = "p[class^=span-annotation__field]";
  const style = document.createElement("style");
  style.textContent =
    field + " { overflow-wrap: anywhere; } " +
    field + "[data-lines] { unicode-bidi: plaintext; }" +
    "::highlight(gates-user) { color: #00558a; background: #e3f1fa; }" +
    "::highlight(gates-other) { color: #666; background: #f0f0f0; }";
  document.head.append(style);

  // Only our own headings begin with this sign: it stands nowhere else.
  const headings = (text) =>
    [...text.data.matchAll(/^■ \d+ · (\w+).*$/gm)].map((found) => {
      const range = new Range();
      range.setStart(text, found.index);
      range.setEnd(text, found.index + found[0].length);
      return [found[1] === "USER" ? "gates-user" : "gates-other", range];
    });

  let drawn = null;
  const draw = () => {
    const text = document.querySelector(field)?.firstChild ?? null;
    if (text === drawn && (!text || text.data === draw.data)) return;
    drawn = text;
    draw.data = text?.data;
    // a direction for each line of a megabyte would take the browser half a minute
    if (text) text.parentElement.toggleAttribute("data-lines", text.length < 300_000);
    const all = text ? headings(text) : [];
    for (const name of ["gates-user", "gates-other"]) {
      const ranges = all.filter(([kind]) => kind === name).map(([, range]) => range);
      CSS.highlights.set(name, new Highlight(...ranges));
    }
  };
  new MutationObserver(draw).observe(document, { childList: true, subtree: true });

  const steps = {
    ArrowRight: ["forward", "word"],
    ArrowLeft: ["backward", "word"],
    ArrowDown: ["forward", "line"],
    ArrowUp: ["backward", "line"],
  };
  const choose = (element, [way, unit], more) => {
    const selection = getSelection();
    if (!element.contains(selection.focusNode)) selection.collapse(element.firstChild, 0);
    else if (!more && way === "backward") selection.collapseToStart();
    else if (!more) selection.collapseToEnd();
    if (more) selection.modify("extend", way, unit);
    else if (unit === "word" && way === "forward") selection.modify("extend", way, unit);
    else {
      selection.modify("move", way, unit);
      selection.modify("extend", "forward", "word");
    }
    const box = selection.getRangeAt(0).getBoundingClientRect();
    if (box.top < 0 || box.bottom > innerHeight) selection.focusNode.parentElement
      .scrollIntoView({ block: "nearest" });
  };
  const takeBack = () => {
    if (!getSelection().rangeCount) return;
    const at = getSelection().getRangeAt(0).getBoundingClientRect();
    const away = (label) => {
      const box = label.getBoundingClientRect();
      return Math.hypot(box.left - at.left, box.top - at.bottom);
    };
    const labels = [...document.querySelectorAll(".span-entity__container")];
    labels.sort((one, other) => away(one) - away(other))[0]?.querySelector("button").click();
  };
  const typing = "[contenteditable], textarea, input:not([type=checkbox]):not([type=radio])";
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches?.(typing)) return;
    const inside = event.target.closest?.(field);
    const element = inside ?? document.querySelector(field);
    const key = event.key.toLowerCase();
    if (!element) return;
    if (inside && steps[event.key]) choose(element, steps[event.key], event.shiftKey);
    else if (inside && key === "m" && !getSelection().isCollapsed)
      element.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    else if (inside && key === "delete") takeBack();
    else if (inside && key === "escape") element.blur();
    else if (!inside && key === "m") element.focus();
    else {
      // a label's key takes the focus along: it comes back
      if (inside && /^\d$/.test(key)) setTimeout(() => element.focus());
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }, true);
})();
