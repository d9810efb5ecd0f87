import type { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { TokenCounters } from '#platform/tokens';

/** The parts of the application that calls of language models need. */
export interface ProxyParts {
  readonly queries: QueryBus;
  readonly commands: CommandBus;
  readonly tokenCounters: TokenCounters;
}
