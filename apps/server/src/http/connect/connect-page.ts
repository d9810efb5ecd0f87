import { pagePolicy } from '../transport/page-policy.ts';

/**
 * What is asked stands behind "#", which browsers send to no server, and nothing happens before a button is pressed. What other
 * people say of themselves is set as text.
 */
const SCRIPT = `
const request = location.hash.slice(1);
const $ = (id) => document.getElementById(id);
const say = (text) => { $('answer').textContent = text; };
const disable = (is) => { for (const one of document.querySelectorAll('button')) one.disabled = is; };
const ENDED = {
  access_denied: 'Nothing was connected: it was refused.',
  not_permitted: 'Nothing was connected: the account did not permit to read its files.',
  provider_unreachable: 'Nothing was connected: the provider did not answer. Try again.',
  declined: 'Nothing was connected, and the permission was given back.',
  connected: 'Connected. The first sync begins. This window can be closed.',
};

async function call(path, content) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(content) });
  const body = await response.json();
  if (!response.ok) throw new Error(body.message);
  return body;
}

async function begin() {
  const ended = new URLSearchParams(location.search).get('outcome');
  if (ended !== null) return say(ENDED[ended] ?? 'Nothing was connected.');
  if (request === '') return say('This page belongs to the link of a connection. Open that link again.');
  try {
    const asked = await call('request', { request });
    $('provider').textContent = asked.provider;
    $('account').textContent = asked.account;
    $('organization').textContent = asked.organization;
    $('tags').textContent = asked.containerTags.join(', ');
    $('scope').textContent = asked.readsEverything ? 'everything that the account sees' : 'what you choose afterwards';
    $('place').textContent = asked.returnsTo ?? 'stays here';
    $('consent').hidden = false;
    $('consent').querySelector('button').focus();
  } catch (error) {
    say(error.message);
  }
}

$('consent').addEventListener('submit', async (event) => {
  event.preventDefault();
  disable(true);
  say('');
  try {
    const { location: next } = await call('answer', { request, allow: event.submitter.value === 'allow' });
    $('consent').hidden = true;
    location.replace(next);
  } catch (error) {
    say(error.message);
    disable(false);
  }
});

begin();
`;

export const CONNECT_POLICY = pagePolicy(SCRIPT);

export const CONNECT_PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Connect a source</title>
  <style>
    body { font: 1rem/1.5 system-ui, sans-serif; max-width: 36rem; margin: 3rem auto; padding: 0 1rem; }
    button { font: inherit; padding: 0.4rem 0.6rem; }
    dt { font-weight: 600; } dd { margin: 0 0 0.6rem; overflow-wrap: anywhere; }
    output { display: block; margin-top: 1rem; white-space: pre-wrap; overflow-wrap: anywhere; }
  </style>
</head>
<body>
  <h1>Connect a source</h1>
  <form id="consent" hidden>
    <dl>
      <dt>Account</dt><dd><span id="account"></span> (<span id="provider"></span>)</dd>
      <dt>Will be read by</dt><dd id="organization"></dd>
      <dt>Into the spaces</dt><dd id="tags"></dd>
      <dt>It reads</dt><dd id="scope"></dd>
      <dt>Then leads to</dt><dd id="place"></dd>
    </dl>
    <p>Everybody of the organization who may read these spaces will read what is synced. Only connect if you know the organization.</p>
    <button value="allow">Connect</button>
    <button value="refuse">Do not connect</button>
  </form>
  <output id="answer"></output>
  <script>${SCRIPT}</script>
</body>
</html>
`;
