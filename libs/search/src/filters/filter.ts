import type { MetadataValue } from '#kernel';

/** Metadata as filters see it: a document's is flat and scalar, a memory's may also hold lists of strings. */
export type FilterableMetadata = Readonly<Record<string, MetadataValue | readonly string[]>>;

/** The normal form of a filter (contract §5): what every engine translates, and nothing else. */
export type Filter = FilterGroup | Condition;

/** `nodes` is never empty. */
export type FilterGroup =
  | { readonly kind: 'and'; readonly nodes: readonly Filter[] }
  | { readonly kind: 'or'; readonly nodes: readonly Filter[] };

export type Condition = TextCondition | NumericCondition;

export type TextCondition = EqualsCondition | ContainsCondition | ArrayContainsCondition;

interface TextComparison {
  readonly key: string;
  /** Well-formed Unicode, and already folded (`foldCase`) when `ignoreCase`. */
  readonly value: string;
  readonly ignoreCase: boolean;
  readonly negate: boolean;
}

export interface EqualsCondition extends TextComparison {
  readonly kind: 'equals';
  /** What a stored number is compared with; null if the value is no number. */
  readonly number: number | null;
}

export interface ContainsCondition extends TextComparison {
  readonly kind: 'contains';
}

export interface ArrayContainsCondition extends TextComparison {
  readonly kind: 'arrayContains';
}

/** Negation is resolved: `!=` also holds where the key is missing or no number, the others never do. */
export interface NumericCondition {
  readonly kind: 'numeric';
  readonly key: string;
  readonly operator: '=' | '!=' | '<' | '<=' | '>' | '>=';
  /** Finite. */
  readonly value: number;
}
