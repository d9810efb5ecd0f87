import { htmlPage, PAGE_SCRIPT } from '../transport/page.ts';
import { pagePolicy } from '../transport/page-policy.ts';

/**
 * What is asked stands behind "#", which browsers send to no server, and nothing happens before a button is pressed. What other
 * people say of themselves is set as text.
 */
const SCRIPT = `${PAGE_SCRIPT}
const request = location.hash.slice(1);
const ENDED = {
  access_denied: 'Nothing was connected: it was refused.',
  not_permitted: 'Nothing was connected: the account did not permit to read its files.',
  provider_unreachable: 'Nothing was connected: the provider did not answer. Try again.',
  declined: 'Nothing was connected, and the permission was given back.',
  connected: 'Connected. The first sync begins. This window can be closed.',
};

async function begin() {
  const ended = new URLSearchParams(location.search).get('outcome');
  if (ended !== null) return say(ENDED[ended] ?? 'Nothing was connected.');
  if (request === '') return say('This page belongs to the link of a connection. Open that link again.');
  try {
    const asked = await post('request', { request });
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
    const { location: next } = await post('answer', { request, allow: event.submitter.value === 'allow' });
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

export const CONNECT_PAGE = htmlPage({
  title: 'Connect a source',
  body: `  <form id="consent" hidden>
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
  </form>`,
  script: SCRIPT,
});
