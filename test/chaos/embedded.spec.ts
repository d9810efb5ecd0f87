import { CHAOS_TIMEOUT_MS, expectNoViolations } from './expect-no-violations.ts';
import { EmbeddedInstallation } from './installation/embedded.ts';

test(
  'nothing is lost, doubled, resurrected or leaked on embedded engines, whatever fails',
  async () => expectNoViolations(await EmbeddedInstallation.start()),
  CHAOS_TIMEOUT_MS,
);
