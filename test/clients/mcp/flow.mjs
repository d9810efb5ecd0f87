// Runs an official client through what an agent does, and prints what it saw as JSON: node flow.mjs v1|v2 http|stdio TAG
const [line, way, tag] = process.argv.slice(2);
const { MCP_URL, MCP_KEY, MNEME_BIN } = process.env;

const identity = { name: 'test', version: '1' };
const requestInit = { headers: { authorization: `Bearer ${MCP_KEY}` } };
const program = {
  command: process.execPath,
  args: [MNEME_BIN, 'mcp', '--url', new URL(MCP_URL).origin],
  env: { ...process.env, MNEME_API_KEY: MCP_KEY },
  stderr: 'inherit',
};

async function connect() {
  if (line === 'v1') {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    const client = new Client(identity);
    const http = way === 'http' ? new StreamableHTTPClientTransport(new URL(MCP_URL), { requestInit }) : null;
    await client.connect(http ?? new StdioClientTransport(program));
    return { client, version: () => http?.protocolVersion ?? '2025' };
  }
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const client = new Client(identity, { versionNegotiation: { mode: 'auto' } });
  const http = way === 'http' ? new StreamableHTTPClientTransport(new URL(MCP_URL), { requestInit }) : null;
  await client.connect(http ?? new StdioClientTransport(program));
  return { client, version: () => client.getNegotiatedProtocolVersion() };
}

const { client, version } = await connect();
const call = (name, args = {}) => client.callTool({ name, arguments: { containerTag: tag, ...args } });
const codeOf = (failing) =>
  failing.then(
    () => null,
    (error) => error.code,
  );

// From here on the client checks structured answers against the schemas.
const { tools } = await client.listTools();
const saved = await call('add_memory', { content: 'Mara keeps the spare key under the blue flowerpot.' });
let found = { structuredContent: { results: [] } };
const until = Date.now() + 30_000;
while (found.structuredContent.results.length === 0 && Date.now() < until) {
  found = await call('search_memory', { query: 'Mara keeps the spare key under the blue flowerpot' });
  await new Promise((resolve) => setTimeout(resolve, 50));
}
const { id } = found.structuredContent.results[0];
const prompt = await client.getPrompt({ name: 'context', arguments: { containerTag: tag } });
const { resources } = await client.listResources();
const report = {
  version: version(),
  tools: tools.map(({ name }) => name),
  saved: saved.structuredContent,
  found: found.structuredContent,
  context: (await call('get_context', { query: 'spare key' })).structuredContent,
  documents: (await call('listDocuments')).structuredContent,
  memories: (await call('listMemories')).structuredContent,
  corrected: (await call('update_memory', { id, content: 'Mara keeps the spare key at the baker.' })).structuredContent,
  document: (await client.callTool({ name: 'getDocument', arguments: { documentId: saved.structuredContent.id } }))
    .structuredContent,
  spaces: (await client.callTool({ name: 'listSpaces', arguments: {} })).structuredContent,
  me: (await client.callTool({ name: 'whoAmI', arguments: {} })).structuredContent,
  forgotten: (await call('forget_memory', { text: 'Mara keeps the spare key at the baker.' })).structuredContent,
  upload: (await call('prepare-file-upload')).structuredContent,
  refused: await call('search_memory', { query: '' }),
  unknownTool: await codeOf(client.callTool({ name: 'nothing', arguments: {} })),
  prompt: prompt.messages[0].content.text,
  wrongPrompt: await codeOf(client.getPrompt({ name: 'context', arguments: { includeRecent: 'perhaps' } })),
  resources: resources.map(({ uri }) => uri),
  read: (await client.readResource({ uri: 'supermemory://spaces' })).contents[0].text,
  unknownResource: await codeOf(client.readResource({ uri: 'supermemory://nothing' })),
};
await client.close();
process.stdout.write(JSON.stringify(report));
