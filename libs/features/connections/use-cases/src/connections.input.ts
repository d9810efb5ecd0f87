import { IsContainerTag, IsContainerTags, IsText, invalid, namedTags, ShownBy } from '#platform/input';
import type { ConnectionChoice } from './connections.ts';

/** Which connections of a provider are meant. */
@ShownBy({
  'By a tag': { containerTags: ['handbook'] },
})
export class ConnectionTagsInput {
  /** Connections whose documents have at least one of these tags. */
  @IsContainerTags()
  containerTags?: string | string[];

  /** Joined with containerTags. */
  @IsContainerTag()
  containerTag?: string;
}

/** Which connections are listed. */
@ShownBy({
  'Of a provider': { provider: 'web-crawler' },
})
export class ListConnectionsInput extends ConnectionTagsInput {
  /** Name of the provider. Default: any. */
  @IsText({ min: 1, max: 64 })
  provider?: string;
}

export const choiceOf = (provider: string | null, tagged: ConnectionTagsInput): ConnectionChoice => ({
  provider,
  tags: namedTags(tagged),
});

/** @throws InputError if no tag is named */
export function choiceByTags(provider: string, tagged: ConnectionTagsInput): ConnectionChoice {
  const choice = choiceOf(provider, tagged);
  if (choice.tags.length === 0) throw invalid('containerTags', 'containerTags must name at least one tag');
  return choice;
}
