/** The description of the whole API. Markdown. */
export const INTRODUCTION = `Content ingestion, memory and search.

**Key.** Every request but those marked otherwise needs an API key: \`Authorization: Bearer sm_…\`. On the page that shows this document, enter it under **Authorize**; the browser keeps it until its tab is closed.

**Examples.** Sent in the order of this document, every example is accepted by a new installation: they read and change the documents that the first ones add.

**Status of documents.** \`queued\`, \`processing\`, \`done\` or \`failed\`. With the header \`x-sm-status: stage\`, or \`?status=stage\`, \`status\` has the more detailed value of \`processingStage\`; clients that send \`x-sm-source: supermemory-mcp\` always get it. Any other value of \`x-sm-source\` is a label without effect.

**Errors** have one form, the schema ErrorBody. \`code\` is for programs, \`message\` for people, \`details\` names the wrong part of the request.

**Requests** may carry an \`x-request-id\`, which the response and the log repeat. Unknown fields of a body are ignored; an empty body counts as \`{}\`.

**Browsers.** Any origin may send requests. To a request with an \`Origin\`, responses have \`access-control-allow-origin\` and \`access-control-expose-headers\`.

**Former paths.** \`/v3/memories\` and everything below are answered with 308 and the same path under \`/v3/documents\`.`;
