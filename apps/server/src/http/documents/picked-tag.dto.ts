import { IsContainerTag } from '#platform/input';
import type { AccessScope } from '#platform/kernel';

/** The query of a request for one document. */
export class PickedTagQuery {
  /** Which document, if several have the customId: one with this tag; of several, the one with this tag alone. */
  @IsContainerTag()
  containerTag?: string;
}

export const picking = (scope: AccessScope, { containerTag }: PickedTagQuery): AccessScope =>
  containerTag === undefined ? scope : { ...scope, picked: [containerTag] };
