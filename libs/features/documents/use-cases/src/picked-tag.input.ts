import { IsContainerTag } from '#platform/input';

/** The query of a request for one document. */
export class PickedTagInput {
  /** Which document, if several have the customId: one with this tag; of several, the one with this tag alone. */
  @IsContainerTag()
  containerTag?: string;
}

/** Returns the tags that pick the document. Empty: none. */
export const pickedTags = ({ containerTag }: PickedTagInput): readonly string[] =>
  containerTag === undefined ? [] : [containerTag];
