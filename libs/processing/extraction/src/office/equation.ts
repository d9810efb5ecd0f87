import type { Attributes, XmlReader } from '../xml.ts';
import { attribute } from '../xml.ts';
import { isOn } from './on-off.ts';

interface MathNode {
  readonly name: string;
  readonly attributes: Attributes;
  readonly children: MathNode[];
  text: string;
}

/** Deleted, or moved to another place. */
const LEFT_OUT: ReadonlySet<string> = new Set(['del', 'moveFrom']);
/** One letter or number, or what stands in brackets: it needs none around it. */
const SINGLE =
  /^(?:[\p{L}\p{N}.,]\p{M}*|\p{N}+(?:[.,]\p{N}+)?|[^\p{L}\p{N}\s])$|^(?:\([^()]*\)|\[[^[\]]*\]|\{[^{}]*\})$/u;
const ROOTS: Readonly<Record<string, string>> = { '': '√', '2': '√', '3': '∛', '4': '∜' };

/** Reads one equation (OMML) as a line: `x=(-b±√(b^2-4ac))/(2a)`. Gets what is inside of its element. */
export class Equation implements XmlReader {
  readonly #open: [MathNode, ...MathNode[]] = [{ name: '', attributes: {}, children: [], text: '' }];

  open(name: string, attributes: Attributes): void {
    const node = { name, attributes, children: [], text: '' };
    this.#innermost.children.push(node);
    this.#open.push(node);
  }

  close(): void {
    this.#open.pop();
  }

  text(words: string): void {
    this.#innermost.text += words;
  }

  /** Whether all elements inside are closed. */
  get isComplete(): boolean {
    return this.#open.length === 1;
  }

  get line(): string {
    return lineOf(this.#open[0]).replace(/\s+/g, ' ').trim();
  }

  get #innermost(): MathNode {
    return this.#open.at(-1) as MathNode;
  }
}

function lineOf(node: MathNode): string {
  const part = (name: string): string => {
    const child = node.children.find((one) => one.name === name);
    return child === undefined ? '' : lineOf(child);
  };
  const parts = (name: string): string[] => node.children.filter((one) => one.name === name).map(lineOf);
  const scripts = () => `${raised('_', part('sub'))}${raised('^', part('sup'))}`;
  switch (node.name) {
    case 't':
      return node.text;
    case 'r':
      return isHidden(node) ? '' : linesOf(node);
    case 'f':
      return `${grouped(part('num'))}${property(node, 'type') === 'noBar' ? '¦' : '/'}${grouped(part('den'))}`;
    case 'sSup':
    case 'sSub':
    case 'sSubSup':
      return `${base(part('e'))}${scripts()}`;
    case 'sPre':
      return `${scripts()}${grouped(part('e'))}`;
    case 'rad':
      return root(switchedOn(node, 'degHide') ? '' : part('deg'), part('e'));
    case 'nary':
      return `${property(node, 'chr') ?? '∫'}${scripts()} ${part('e')}`;
    case 'd':
      return `${property(node, 'begChr') ?? '('}${parts('e').join(property(node, 'sepChr') ?? '|')}${property(node, 'endChr') ?? ')'}`;
    case 'func':
      return `${part('fName')} ${part('e')}`;
    case 'limLow':
      return `${part('e')}${raised('_', part('lim'))}`;
    case 'limUpp':
      return `${part('e')}${raised('^', part('lim'))}`;
    case 'm':
      return parts('mr').join('; ');
    case 'mr':
      return parts('e').join(', ');
    case 'eqArr':
      return parts('e').join('; ');
    case 'acc':
      return `${grouped(part('e'))}${property(node, 'chr') ?? '\u0302'}`;
    case 'bar':
      return `${grouped(part('e'))}${property(node, 'pos') === 'top' ? '\u0305' : '\u0332'}`;
    case 'phant':
      return switchedOn(node, 'show', true) ? part('e') : '';
    default:
      return linesOf(node);
  }
}

const linesOf = (node: MathNode): string =>
  node.children.map((one) => (LEFT_OUT.has(one.name) || one.name.endsWith('Pr') ? '' : lineOf(one))).join('');

const grouped = (line: string): string => (line === '' || SINGLE.test(line) ? line : `(${line})`);

/** The name of a function or of a number needs no brackets below what is raised. */
const base = (line: string): string => (/^[\p{L}\p{N}\p{M}]+$/u.test(line) ? line : grouped(line));

const raised = (mark: string, line: string): string => (line === '' ? '' : `${mark}${grouped(line)}`);

function root(degree: string, line: string): string {
  const sign = ROOTS[degree];
  return sign === undefined ? `√[${degree}]${grouped(line)}` : `${sign}${grouped(line)}`;
}

/** The properties of an element are in a child that is called as it is. */
function propertyNode(node: MathNode, name: string): MathNode | undefined {
  const properties = node.children.find((one) => one.name === `${node.name}Pr`);
  return properties?.children.find((one) => one.name === name);
}

function property(node: MathNode, name: string): string | undefined {
  const found = propertyNode(node, name);
  return found === undefined ? undefined : (attribute(found.attributes, 'val') ?? '');
}

function switchedOn(node: MathNode, name: string, otherwise = false): boolean {
  const found = propertyNode(node, name);
  return found === undefined ? otherwise : isOn(found.attributes);
}

/** A run has properties of its own and those of Word, both under this name. */
const isHidden = (run: MathNode): boolean =>
  run.children.some(
    (one) => one.name === 'rPr' && one.children.some((mark) => mark.name === 'vanish' && isOn(mark.attributes)),
  );
