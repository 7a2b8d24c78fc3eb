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

  return { text, revealed, markdown, long, points, inUnits, selected, reason };
})();
