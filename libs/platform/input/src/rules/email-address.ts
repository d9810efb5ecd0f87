import { asDecorator, type Complaint, Rule } from '../rule.ts';
import { textComplaint } from './text.ts';

/** Longest address that mail servers transport. */
const MAX = 254;
/** One address: no list, no name beside it, no comment. Whether mail arrives there, only a mail can tell. */
const ADDRESS = /^[^\s@,;:<>()"\\]+@[^\s@,;:<>()"\\]+$/;

/** An e-mail address. */
export function IsEmailAddress(): PropertyDecorator {
  return asDecorator('isEmailAddress', new Rule({ type: 'string', format: 'email', maxLength: MAX }, complaint));
}

function complaint(value: unknown): Complaint | null {
  const wrong = textComplaint(value, { max: MAX, wellFormed: true });
  if (wrong !== null) return wrong;
  return ADDRESS.test(value as string) ? null : { says: 'must be an e-mail address like ada@example.com' };
}
