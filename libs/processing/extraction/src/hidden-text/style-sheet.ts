import type { CSSToken } from '@csstools/css-tokenizer';
import { addDeclaration, type Declarations, type Declared, wordsOf } from './declarations.ts';
import { isForScreen } from './media.ts';

/** Selects elements by classes, ids and their name, such as `.note` or `p.note.old`. There is a class or an id. */
export interface Selector {
  /** Null: any. */
  readonly name: string | null;
  readonly ids: readonly string[];
  readonly classes: readonly string[];
}

type AddRule = (selectors: readonly Selector[], declarations: Declarations) => void;

/** An open block: of rules, of the declarations of a rule, or one that is not read. */
type Block =
  | 'rules'
  | 'unread'
  | { readonly selectors: readonly Selector[]; readonly declarations: Map<string, Declared> };

/**
 * Reads the rules of a style sheet that apply on a screen. Other selectors are left out, and so are rules inside of rules and
 * styles that depend on anything but the width of the window. Linear.
 */
export function readSheet(tokens: Iterable<CSSToken>, add: AddRule): void {
  const blocks: Block[] = ['rules'];
  let pending: CSSToken[] = [];
  const endBlock = (): void => {
    const block = blocks.pop();
    if (typeof block === 'object') {
      addDeclaration(block.declarations, pending);
      if (block.declarations.size > 0) add(block.selectors, block.declarations);
    }
    pending = [];
  };
  for (const token of tokens) {
    const block = blocks.at(-1) ?? 'unread';
    switch (token[0]) {
      case '{-token':
        blocks.push(blockIn(block, pending));
        pending = [];
        break;
      case '}-token':
        if (blocks.length > 1) endBlock();
        break;
      case 'semicolon-token':
        if (typeof block === 'object') addDeclaration(block.declarations, pending);
        pending = [];
        break;
      // Marks of comments that hide a sheet from the browsers of old.
      case 'CDO-token':
      case 'CDC-token':
        break;
      default:
        if (block !== 'unread') pending.push(token);
    }
  }
  // The end of a sheet ends its blocks.
  while (blocks.length > 0) endBlock();
}

/** The block that begins behind these tokens. Conditions may stand around rules, and around declarations of a rule. */
function blockIn(outer: Block, prelude: readonly CSSToken[]): Block {
  const [, keyword, condition = ''] = /^ ?@([a-z-]+)(.*)$/.exec(wordsOf(prelude)) ?? [];
  if (outer === 'unread' || (keyword === undefined && outer !== 'rules')) return 'unread';
  if (keyword === undefined) return { selectors: selectorsOf(prelude), declarations: new Map() };
  const applies =
    (keyword === 'media' && isForScreen(condition)) ||
    (keyword === 'supports' && !condition.startsWith(' not ')) ||
    keyword === 'layer';
  if (!applies) return 'unread';
  return outer === 'rules' ? 'rules' : { selectors: outer.selectors, declarations: new Map() };
}

function selectorsOf(prelude: readonly CSSToken[]): readonly Selector[] {
  const selectors: Selector[] = [];
  let start = 0;
  for (let at = 0; at <= prelude.length; at++) {
    if (at < prelude.length && prelude[at]?.[0] !== 'comma-token') continue;
    const selector = selectorOf(prelude.slice(start, at));
    if (selector !== null) selectors.push(selector);
    start = at + 1;
  }
  return selectors;
}

const isSpace = ([type]: CSSToken): boolean => type === 'whitespace-token' || type === 'comment';

function selectorOf(tokens: readonly CSSToken[]): Selector | null {
  const first = tokens.findIndex((token) => !isSpace(token));
  const last = tokens.findLastIndex((token) => !isSpace(token));
  let name: string | null = null;
  const ids: string[] = [];
  const classes: string[] = [];
  for (let at = first; at >= 0 && at <= last; at++) {
    const [type, source, , , data] = tokens[at] as CSSToken;
    const next = tokens[at + 1];
    if (type === 'hash-token') ids.push(data.value);
    else if (type === 'ident-token' && at === first) name = data.value.toLowerCase();
    else if (type === 'delim-token' && source === '.' && next?.[0] === 'ident-token') {
      classes.push(next[4].value);
      at += 1;
    } else if (type !== 'comment' && !(source === '*' && at === first)) return null;
  }
  return ids.length + classes.length > 0 ? { name, ids, classes } : null;
}
