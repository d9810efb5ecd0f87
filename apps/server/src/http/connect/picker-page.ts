import { htmlPage, PAGE_SCRIPT } from '../transport/page.ts';
import { pagePolicy } from '../transport/page-policy.ts';

/**
 * The list is one of checkboxes: arrow keys go through it, Space chooses, Enter and the right arrow open a folder, the left
 * arrow and Backspace go back. The link stands behind "#", which browsers send to no server.
 */
const SCRIPT = `${PAGE_SCRIPT}
const link = location.hash.slice(1);
const chosen = new Map();
const way = [{ id: null, name: 'All' }];
let page = 1;
let asked = 0;

const ask = (path, content) => post(path, { link, ...content });

function button(text, act) {
  const one = document.createElement('button');
  one.type = 'button';
  one.textContent = text;
  one.addEventListener('click', act);
  return one;
}

function row(resource) {
  const { id, name, kind } = resource;
  const item = document.createElement('li');
  const label = document.createElement('label');
  if (kind === 'section') {
    label.append(name);
  } else {
    const box = document.createElement('input');
    box.type = 'checkbox';
    box.checked = chosen.has(id);
    box.addEventListener('change', () => {
      if (box.checked) chosen.set(id, name); else chosen.delete(id);
      showChosen();
    });
    label.append(box, ' ', name);
  }
  item.append(label);
  if (kind !== 'file' && (kind !== 'section' || resource.contentType === null)) {
    const open = button('Open', () => enter(resource));
    open.setAttribute('aria-label', 'Open ' + name);
    item.append(' ', open);
  }
  item.tabIndex = -1;
  item.resource = resource;
  return item;
}

function showChosen() {
  const removals = [...chosen].map(([id, name]) => {
    const item = document.createElement('li');
    const remove = button('Remove', () => { chosen.delete(id); showChosen(); load(); });
    remove.setAttribute('aria-label', 'Remove ' + name);
    item.append(name, ' ', remove);
    return item;
  });
  $('chosen').replaceChildren(...removals);
  $('count').textContent = chosen.size + ' selected';
}

async function load() {
  const mine = ++asked;
  const search = $('search').value.trim();
  $('way').textContent = search === '' ? way.map(({ name }) => name).join(' / ') : 'Found: ' + search;
  $('list').setAttribute('aria-busy', 'true');
  try {
    const { id: parent } = way[way.length - 1];
    const found = await ask('picker/list', { page, ...(search !== '' ? { search } : parent !== null && { parent }) });
    if (mine !== asked) return;
    $('account').textContent = found.account;
    $('list').replaceChildren(...found.resources.map(row));
    $('empty').hidden = found.resources.length > 0;
    $('back').disabled = page === 1;
    $('next').disabled = !found.hasMore;
    $('page').textContent = 'Page ' + page;
    focusOn(0);
    return found;
  } catch (error) {
    say(error.message);
  } finally {
    if (mine === asked) $('list').removeAttribute('aria-busy');
  }
}

function enter({ id, name }) {
  $('search').value = '';
  way.push({ id, name });
  page = 1;
  return load();
}

function leave() {
  if (way.length > 1) way.pop();
  $('search').value = '';
  page = 1;
  return load();
}

function focusOn(at) {
  const rows = [...$('list').children];
  for (const one of rows) one.tabIndex = -1;
  if (rows[at] === undefined) return;
  rows[at].tabIndex = 0;
  if (document.activeElement !== $('search')) rows[at].focus();
}

$('list').addEventListener('keydown', (event) => {
  const rows = [...$('list').children];
  const at = rows.findIndex((one) => one.contains(event.target));
  const open = rows[at]?.querySelector('button');
  const moves = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 };
  if (event.key in moves) focusOn(Math.max(0, Math.min(rows.length - 1, moves[event.key])));
  else if (event.target === rows[at] && event.key === ' ') rows[at].querySelector('input')?.click();
  else if (event.target === rows[at] && (event.key === 'Enter' || event.key === 'ArrowRight')) open?.click();
  else if (event.key === 'ArrowLeft' || event.key === 'Backspace') leave();
  else return;
  event.preventDefault();
});

let typing;
$('search').addEventListener('input', () => {
  clearTimeout(typing);
  typing = setTimeout(() => { page = 1; load(); }, 300);
});
$('up').addEventListener('click', leave);
$('back').addEventListener('click', () => { page -= 1; load(); });
$('next').addEventListener('click', () => { page += 1; load(); });
$('save').addEventListener('click', async () => {
  $('save').disabled = true;
  say('Saving …');
  try {
    const { location: next } = await ask('picker/selection', { ids: [...chosen.keys()] });
    say('Saved. What was selected is synced now. This window can be closed.');
    if (next !== null) location.assign(next);
  } catch (error) {
    say(error.message);
  }
  $('save').disabled = false;
});

async function begin() {
  if (link === '') return say('This page belongs to the link of a connection. Ask for a new link.');
  const found = await load();
  if (found === undefined) return;
  for (const { id, name } of found.selected) chosen.set(id, name);
  showChosen();
  load();
  $('picker').hidden = false;
  $('search').focus();
}

begin();
`;

export const PICKER_POLICY = pagePolicy(SCRIPT);

export const PICKER_PAGE = htmlPage({
  title: 'Select files and folders',
  width: 44,
  style: `
    input[type=search] { width: 100%; box-sizing: border-box; }
    ul { list-style: none; padding: 0; } #list { border: 1px solid #999; min-height: 12rem; }
    li { padding: 0.2rem 0.5rem; overflow-wrap: anywhere; } li:focus { outline: 2px solid #06c; }
    nav { display: flex; gap: 0.5rem; align-items: center; }`,
  body: `  <div id="picker" hidden>
    <p>Account: <strong id="account"></strong>. Of a folder, everything below it is read, also what comes later.</p>
    <p><label>Search by name<br><input type="search" id="search" autocomplete="off"></label></p>
    <nav aria-label="Folders"><button type="button" id="up">Back</button> <span id="way" aria-live="polite"></span></nav>
    <ul id="list" aria-label="Files and folders"></ul>
    <p id="empty" hidden>Nothing is here.</p>
    <nav aria-label="Pages">
      <button type="button" id="back">Previous</button> <span id="page"></span> <button type="button" id="next">Next</button>
    </nav>
    <h2 id="count" aria-live="polite">0 selected</h2>
    <ul id="chosen" aria-label="Selected"></ul>
    <button type="button" id="save">Save</button>
  </div>`,
  script: SCRIPT,
});
