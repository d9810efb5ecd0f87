import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { invalid } from '#platform/input';
import { actorOf, err, ok, type Result } from '#platform/kernel';
import { Connections } from '../connections.ts';
import { CONNECTION_FLOWS, type Flows } from '../flows.ts';
import { OpenPicker } from './open-picker.command.ts';

@CommandHandler(OpenPicker)
export class OpenPickerHandler implements ICommandHandler<OpenPicker> {
  constructor(
    private readonly connections: Connections,
    @Inject(CONNECTION_FLOWS) private readonly flows: Flows,
  ) {}

  /** @throws InputError for an address that people may not be sent back to */
  async execute({ principal, id, provider, redirectUrl }: OpenPicker): Promise<Result<string, 'connection_not_found'>> {
    const found = await this.connections.find(principal, id);
    if (!found.ok) return found;
    if (found.value.provider !== provider || this.flows === null) return err('connection_not_found');
    if (redirectUrl !== null && !this.flows.mayReturnTo(redirectUrl)) {
      throw invalid('redirectUrl', 'redirectUrl must be an address of MNEME_REDIRECTS, or of a program on loopback');
    }
    const { organization } = principal;
    return ok(await this.flows.picker({ organization, connection: id, actor: actorOf(principal), redirectUrl }));
  }
}
