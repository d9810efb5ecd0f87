import { IsFlag, IsText, invalid, ShownBy } from '#platform/input';
import type { Principal } from '#platform/kernel';
import { ChangeKey } from './change-key.command.ts';

/** What to change of a key. Fields that are not sent stay. */
@ShownBy({ 'Refuse a key for now': { enabled: false } })
export class ChangeKeyInput {
  /** For people, to tell keys apart. */
  @IsText({ min: 1, max: 300 })
  name?: string;

  /** `false`: the key is refused until it is enabled again. */
  @IsFlag()
  enabled?: boolean;
}

export function changeKey(principal: Principal, id: string, { name, enabled }: ChangeKeyInput): ChangeKey {
  if (name === undefined && enabled === undefined) throw invalid('body', 'The body must name a field to change');
  return new ChangeKey(principal, id, {
    ...(name !== undefined && { name }),
    ...(enabled !== undefined && { isEnabled: enabled }),
  });
}
