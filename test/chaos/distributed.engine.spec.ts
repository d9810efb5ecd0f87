import { addressOf } from '../support/addresses.ts';
import { CHAOS_TIMEOUT_MS, expectNoViolations } from './expect-no-violations.ts';
import { DistributedInstallation } from './installation/distributed.ts';

test(
  'nothing is lost, doubled, resurrected or leaked on distributed engines, whatever fails',
  async () => expectNoViolations(await DistributedInstallation.start(addressOf('MNEME_TEST_OPENSEARCH_URL'))),
  CHAOS_TIMEOUT_MS,
);
