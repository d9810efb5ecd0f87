import { htmlPage } from '../transport/page.ts';
import { pagePolicy } from '../transport/page-policy.ts';

/** The token is in the fragment of the address, which browsers do not send. Nothing happens before the button is pressed. */
const SCRIPT = `
const form = document.querySelector('form');
const answer = document.querySelector('output');
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const buttons = form.querySelectorAll('button');
  const disable = (is) => { for (const button of buttons) button.disabled = is; };
  disable(true);
  const session = event.submitter?.value === 'session';
  const name = form.elements.name.value.trim();
  const body = JSON.stringify({ token: location.hash.slice(1), ...(name && { name }), ...(session && { session }) });
  try {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(location.pathname, { method: 'POST', headers, body });
    const { key, message } = await response.json();
    if (!response.ok) throw new Error(message);
    form.hidden = true;
    answer.textContent = key === null
      ? 'You are a member, and signed in with this browser.'
      : 'You are a member. This is your key; it is shown this once:\\n\\n' + key;
  } catch (error) {
    answer.textContent = String(error.message);
    disable(false);
  }
});
`;

export const ACCEPT_POLICY = pagePolicy(SCRIPT);

export const ACCEPT_PAGE = htmlPage({
  title: 'Invitation',
  body: `  <form>
    <p><label>Your name, for the list of members<br><input name="name" maxlength="200" autocomplete="name"></label></p>
    <button>Accept the invitation</button>
    <button value="session">Accept it and sign in, without a key</button>
  </form>`,
  script: SCRIPT,
});
