import { htmlPage, PAGE_SCRIPT } from '../transport/page.ts';
import { pagePolicy } from '../transport/page-policy.ts';

/**
 * Nothing happens before a button is pressed. What other people say of themselves is set as text. While the person signs in
 * elsewhere, the tab keeps what the application asks for, because the address of the page may be too long for the way.
 */
const SCRIPT = `${PAGE_SCRIPT}
const KEPT = 'asked';
const asked = location.search || sessionStorage.getItem(KEPT) || '';
const show = (id) => { for (const one of document.querySelectorAll('form')) one.hidden = one.id !== id; };
let request = null;

async function begin() {
  try {
    const { user } = await call('../v3/session');
    const found = await call('request' + asked);
    request = found.request;
    $('name').textContent = found.client.name;
    $('address').textContent = found.client.address ?? 'It has registered itself: nobody confirms its name.';
    $('place').textContent = found.isProgram ? 'a program on this device (' + found.returnsTo + ')' : found.returnsTo;
    $('person').textContent = user.name ?? user.email ?? user.id;
    $('organization').textContent = found.organization;
    $('writes').hidden = found.access === 'read';
    document.forms.consent.elements.access.value = found.access;
    show('consent');
  } catch (error) {
    if (error.status === 401) show('sign-in');
    else say(error.message);
  }
}

$('sign-in').addEventListener('submit', async (event) => {
  event.preventDefault();
  if (event.submitter.value === 'oidc') {
    sessionStorage.setItem(KEPT, asked);
    location.assign('../v3/session/oidc?returnTo=' + encodeURIComponent('/oauth/authorize'));
    return;
  }
  disable(true);
  say('');
  try {
    const key = event.target.elements.key;
    await call('../v3/session', { method: 'POST', headers: { authorization: 'Bearer ' + key.value.trim() } });
    key.value = '';
    show('');
    await begin();
  } catch (error) {
    say(error.message);
  }
  disable(false);
});

$('consent').addEventListener('submit', async (event) => {
  event.preventDefault();
  disable(true);
  const { access, tags } = event.target.elements;
  const containerTags = tags.value.split('\\n').map((one) => one.trim()).filter((one) => one !== '');
  const allow = event.submitter.value === 'allow';
  const content = { request, allow, ...(allow && { access: access.value, containerTags }) };
  try {
    const { location: next } = await post('consent', content);
    sessionStorage.removeItem(KEPT);
    show('');
    say(allow ? 'Connected. This window can be closed.' : 'Refused. This window can be closed.');
    location.assign(next);
  } catch (error) {
    say(error.message);
    disable(false);
  }
});

begin();
`;

export const AUTHORIZE_POLICY = pagePolicy(SCRIPT);

/** @param hasProvider whether people sign in by OpenID Connect, too */
export const authorizePage = (hasProvider: boolean): string =>
  htmlPage({
    title: 'Connect an application',
    style: `
    input[type=password], textarea { width: 100%; box-sizing: border-box; }
    fieldset { margin: 1rem 0; } label { display: block; }`,
    body: `  <form id="sign-in" hidden>
    <p>Sign in, to see what the application asks for. Who was invited opens the link of the invitation first, then loads this page again.</p>
    ${hasProvider ? '<p><button value="oidc" formnovalidate>Sign in with your account</button></p>' : ''}
    <p><label>Your key<br><input type="password" name="key" autocomplete="off" required></label></p>
    <button value="key">Sign in with the key</button>
  </form>
  <form id="consent" hidden>
    <dl>
      <dt>Application</dt><dd><span id="name"></span><br><small id="address"></small></dd>
      <dt>Leads back to</dt><dd id="place"></dd>
      <dt>You are</dt><dd><span id="person"></span>, in <span id="organization"></span></dd>
    </dl>
    <fieldset>
      <legend>It may</legend>
      <label><input type="radio" name="access" value="read"> read memories and documents</label>
      <label id="writes"><input type="radio" name="access" value="write"> read, add, correct and forget them</label>
    </fieldset>
    <p><label>Only in these spaces, one a line; empty: in all that you reach<br><textarea name="tags" rows="3"></textarea></label></p>
    <button value="allow">Allow</button>
    <button value="refuse">Refuse</button>
  </form>`,
    script: SCRIPT,
  });
