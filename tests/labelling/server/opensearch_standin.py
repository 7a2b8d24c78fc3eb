"""Runs Argilla with its own OpenSearch engine on a stand-in that knows no scripts.

    python -m opensearch_standin serve --state DIR ...   (as `labelling.server.launch`)

Argilla changes an answer or takes a suggestion away by a script inside OpenSearch. The stand-in
(`osmem-server`) runs none, so here the document is read, changed as the script says, and written:
one request more, the same document. In the server's environment.
"""

import sys
from pathlib import Path
from typing import Any

from labelling.server import launch

_serve = launch.serve


def serve(state: Path, host: str, port: int, workers: int) -> None:
    """Serve without scripts; Argilla is imported here, where the launcher has made its settings."""
    from argilla_server.search_engine import OpenSearchEngine

    update = OpenSearchEngine._update_document_request

    async def without_scripts(self: Any, index_name: str, id: str, body: Any) -> None:  # noqa: A002
        if "script" not in body:
            await update(self, index_name, id, body)
            return
        document = (await self.client.get(index=index_name, id=id))["_source"]
        _run(body["script"], document)
        await self.client.index(index=index_name, id=id, body=document, refresh=True)

    OpenSearchEngine._update_document_request = without_scripts
    _serve(state, host, port, workers)


def _run(script: Any, document: dict[str, Any]) -> None:
    """What the script does: it removes a suggestion; or an answer, to add it anew."""
    if isinstance(script, str):
        document["suggestions"].pop(script.split('"')[-2])
        return
    response = script["params"]["response"]
    others = [one for one in document.get("responses") or [] if one["id"] != str(response["id"])]
    added = [response] if ".add(" in script["source"] else []
    document["responses"] = [*others, *added]


if __name__ == "__main__":
    launch.serve = serve
    sys.exit(launch.main())
