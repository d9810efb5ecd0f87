import type { MetadataValue } from '#platform/kernel';

/** Filterable metadata: scalars, and for memories also lists of strings. */
export type FilterableMetadata = Readonly<Record<string, MetadataValue | readonly string[]>>;

/** The normal form of a filter (contract §5), which every engine translates. */
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
  /** The value as a number, for stored numbers; null if it is not numeric. */
  readonly number: number | null;
}

export interface ContainsCondition extends TextComparison {
  readonly kind: 'contains';
}

export interface ArrayContainsCondition extends TextComparison {
  readonly kind: 'arrayContains';
}

/** Negation is resolved. If the key is missing or not a number, `!=` is true and the other operators are false. */
export interface NumericCondition {
  readonly kind: 'numeric';
  readonly key: string;
  readonly operator: '=' | '!=' | '<' | '<=' | '>' | '>=';
  /** Finite. */
  readonly value: number;
}
