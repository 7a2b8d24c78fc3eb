// What the mended page calls; labelling/server/mends.py says where. Argilla's page sets text as
// HTML, and counts a text in UTF-16 units where the server counts code points.
const gates = (() => {
  const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  const address = (href) => (href ? " (" + escape(href) + ")" : "");

  // Text about to be set as HTML: it opens no tag. Entities still count, since our tasks write
  // their texts with them (labelling/untrusted.py).
  const text = (value) => (value == null ? "" : String(value)).replace(/</g, "&lt;");

  // For Markdown: its own HTML is text, and what leads elsewhere is shown instead of followed.
  const markdown = {
    html: escape,
    text,
    link: (href, _, words) => (words === href ? words : words + address(href)),
    image: (href, _, words) => escape(words) + address(href),
  };

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

  return { text, markdown, points, inUnits, selected, reason };
})();
