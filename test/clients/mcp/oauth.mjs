// Connects an official client by OAuth: node oauth.mjs v1|v2 cimd|dcr
// Prints one line of JSON for each step, and reads from each line what comes next: the address to which the browser was sent
// back, `call`, or `connect` for a client that begins with the tokens of the last one.
import { createInterface } from 'node:readline';

const [line, way] = process.argv.slice(2);
const { MCP_ADDRESS, MCP_SERVER, METADATA_URL, REDIRECT_URI } = process.env;

/** The server is behind something that ends TLS, which is not there in a test. */
const reach = (url, init) => {
  const address = String(url);
  return fetch(address.startsWith(MCP_ADDRESS) ? MCP_SERVER + address.slice(MCP_ADDRESS.length) : url, init);
};

const kept = {};
const print = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const authProvider = {
  redirectUrl: REDIRECT_URI,
  ...(way === 'cimd' && { clientMetadataUrl: METADATA_URL }),
  clientMetadata: { client_name: `Notebook ${line}`, redirect_uris: [REDIRECT_URI] },
  state: () => `state of ${line}`,
  clientInformation: () => kept.client,
  saveClientInformation: (client) => {
    kept.client = client;
  },
  tokens: () => kept.tokens,
  saveTokens: (tokens) => {
    kept.tokens = tokens;
  },
  redirectToAuthorization: (url) => {
    kept.authorize = url.href;
  },
  saveCodeVerifier: (verifier) => {
    kept.verifier = verifier;
  },
  codeVerifier: () => kept.verifier,
  invalidateCredentials: () => {
    kept.tokens = undefined;
  },
};

const { Client, StreamableHTTPClientTransport } =
  line === 'v1'
    ? {
        ...(await import('@modelcontextprotocol/sdk/client/index.js')),
        ...(await import('@modelcontextprotocol/sdk/client/streamableHttp.js')),
      }
    : await import('@modelcontextprotocol/client');

const transportOf = () =>
  new StreamableHTTPClientTransport(new URL(`${MCP_ADDRESS}/mcp`), { authProvider, fetch: reach });
let transport = transportOf();
let client = null;

async function connect() {
  const options = line === 'v1' ? {} : { versionNegotiation: { mode: 'auto' } };
  client = new Client({ name: 'test', version: '1' }, options);
  transport = transportOf();
  await client.connect(transport);
}

async function call() {
  if (client === null) await connect();
  const { structuredContent } = await client.callTool({ name: 'whoAmI', arguments: {} });
  return structuredContent;
}

const step = {
  connect: async () => {
    client = null;
    return { me: await call(), tokens: kept.tokens };
  },
  call: async () => ({ me: await call(), tokens: kept.tokens }),
};

async function next(command) {
  kept.authorize = undefined;
  try {
    if (step[command] !== undefined) return await step[command]();
    const back = new URL(command);
    await (line === 'v1'
      ? transport.finishAuth(back.searchParams.get('code'))
      : transport.finishAuth(back.searchParams));
    return await step.connect();
  } catch (error) {
    return { error: error.message, authorize: kept.authorize ?? null, client: kept.client };
  }
}

print(await next('connect'));
for await (const command of createInterface({ input: process.stdin })) print(await next(command));
