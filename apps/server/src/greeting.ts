import type { OwnerKey } from '#features/access';

/** What a server prints when it is ready: where it is, where the key is, and requests that can be pasted into a shell. */
export function greeting(url: string, key: OwnerKey): string {
  return `Mneme listens on ${url}
${describe(key)}

A first request, in another terminal:
  OWNER_KEY=${inShell(key)}
  curl ${url}/v3/documents -H "Authorization: Bearer $OWNER_KEY" \\
    -H 'Content-Type: application/json' -d '{"content": "The kettle is in the blue cupboard."}'

A moment later, search for it:
  curl ${url}/v4/search -H "Authorization: Bearer $OWNER_KEY" \\
    -H 'Content-Type: application/json' -d '{"q": "where is the kettle?"}'

The API, to read and to try: ${url}/v3/docs`;
}

function describe(key: OwnerKey): string {
  switch (key.kind) {
    case 'new':
      return `Owner key (shown once, kept in ${key.file}): ${key.secret}`;
    case 'stored':
      return `The owner key is in ${key.file}.`;
    case 'configured':
      return 'The owner key is the value of MNEME_API_KEY.';
    case 'removed':
      return 'The owner key is the one that the first start showed; its file was removed from the data folder.';
  }
}

/** The key as a word of the shell. A variable that is not set is reported by the shell. */
function inShell(key: OwnerKey): string {
  switch (key.kind) {
    case 'new':
      return quoted(key.secret);
    case 'stored':
      return `$(cat ${quoted(key.file)})`;
    case 'configured':
      return `"\${MNEME_API_KEY:?is not set in this terminal}"`;
    case 'removed':
      return `"\${OWNER_KEY:?is not set: set it to the owner key}"`;
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
