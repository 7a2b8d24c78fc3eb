"""What is mended in Argilla's built page: patterns of its scripts, and what is served instead.

The names of variables differ from script to script, so a pattern keeps them by groups. What the
new text calls is in `page.js`.
"""

import re
from dataclasses import dataclass
from re import Pattern


@dataclass(frozen=True)
class Mend:
    """Every match of `found` becomes `instead` (with its groups), in exactly `scripts` scripts."""

    found: Pattern[str]
    instead: str
    scripts: int


def _literally(found: str, instead: str, scripts: int) -> Mend:
    return Mend(re.compile(re.escape(found)), instead.replace("\\", r"\\"), scripts)


RECORD_AS_DATA = (
    # `<` could end the script; String.replace gives `$` and the page's own marks a meaning
    _literally(
        "JSON.stringify(this.sdkRecord)",
        "JSON.stringify(this.sdkRecord)"
        r'.replace(/[<$#]/g,(function(c){return"\\u00"+c.charCodeAt(0).toString(16)}))',
        scripts=8,
    ),
    _literally(
        r"<script>\n  const record = #RECORD_OBJECT#;\n<\/script>\n#TEMPLATE#",
        r"<script type='application/json' id='record'>#RECORD_OBJECT#<\/script>\n#TEMPLATE#",
        scripts=8,
    ),
)
AS_TEXT = (
    # All but the drawing of an icon, and Markdown, which is next
    Mend(
        re.compile(r"innerHTML:(\w+)\._s\((?!\1\.(?:path|markdownToHtml)\))"),
        "innerHTML:gates.text(",
        scripts=54,
    ),
    Mend(
        re.compile(
            r"(\w\.marked\.use\(\{)(hooks:\{preprocess:function preprocess\((\w)\)\{return )\3\."
        ),
        r"\1renderer:gates.markdown,\2gates.revealed(\3).",
        scripts=20,
    ),
    Mend(
        re.compile(r"return (\w)\.marked\.parse\(this\.markdown,"),
        r"return gates.long(this.markdown)||\1.marked.parse(this.markdown,",
        scripts=20,
    ),
    # A text with a tag in it would be drawn as a page of its own
    _literally(
        "isHTML:function isHTML(){return/",
        "isHTML:function isHTML(){return!1;/",
        scripts=8,
    ),
    # The page's own words are texts too; their links lead elsewhere
    Mend(
        re.compile(
            r"<a (?:target='_blank' )?href='https://[^']*'(?: target='_blank')?>([^<]*)</a>"
            r"|<strong>(\{\w+\})</strong>"
        ),
        r"\1\2",
        scripts=4,
    ),
    Mend(re.compile(r"(claim:\"[^\"<]*)</br>"), r"\1 ", scripts=4),
)
SPANS = (
    _literally(
        "domProps:{innerHTML:gates.text(t.fieldText)},on:{mousedown",
        "domProps:{textContent:t._s(t.fieldText)},on:{mousedown",
        scripts=1,
    ),
    _literally(
        "start:t.from,end:t.to,label:",
        "start:gates.points(t,t.from),end:gates.points(t,t.to),label:",
        scripts=1,
    ),
    _literally(
        "}(i.answer.valuesAnswered);try",
        "}(gates.inUnits(t.fieldText,i.answer.valuesAnswered));try",
        scripts=1,
    ),
    Mend(
        re.compile(
            r"r=i\.anchorOffset,a=i\.focusOffset,l=\{from:Math\.min\(r,a\),to:Math\.max\(r,a\),"
            r"(text:o,entity:this\.entity,node:\{id:this\.nodeId),element:i\.focusNode,"
            r"text:i\.focusNode\.textContent\}\};"
        ),
        r"r=gates.selected(i,this.node);if(!r)return;"
        r"var l={from:r.from,to:r.to,\1,element:r.element,text:r.element.textContent}};",
        scripts=1,
    ),
    # Words are completed; a combining mark is part of one
    _literally(
        "function isSymbol(t){return!",
        r"function isSymbol(t){return!/\p{M}/u.test(t)&&!",
        scripts=1,
    ),
)
SIGN_IN = _literally(
    # What the server answers, instead of the name of an error
    'this.$t("login.error"):this.error',
    'this.$t("login.error"):gates.reason(this.error)',
    scripts=1,
)
HOME = _literally(
    # Beside the data sets: a demo, guides and others' data sets, all of them elsewhere
    '"page-sidebar",fn:function fn(){return[t.isAdminOrOwnerRole?[',
    '"page-sidebar",fn:function fn(){return[e("p",{domProps:{textContent:gates.home}})];'
    "[t.isAdminOrOwnerRole?[",
    scripts=1,
)
QUEUE = _literally(
    # Records read ahead while an answer is stored can hold one that is there already. Argilla
    # moves that one to a later place, and at its own the queue seems to end: let it stay.
    "-1===a?i.records.push(r):i.records[a]=r",
    "-1!==a?i.records[a].page===r.page&&(i.records[a]=r):"
    "(r.page=Math.min(r.page,i.lastRecord.page+1),i.records.push(r))",
    scripts=1,
)
MENDS = (*RECORD_AS_DATA, *AS_TEXT, *SPANS, SIGN_IN, HOME, QUEUE)
"""In the order in which they are made."""
