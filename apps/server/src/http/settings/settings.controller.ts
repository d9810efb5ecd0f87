import { Body, Controller, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  ChangeSettingsInput,
  changeSettings,
  GetSettings,
  ResetSettingsInput,
  resetSettings,
  SuggestBuckets,
  sentSettings,
} from '#features/settings/use-cases';
import type { Principal } from '#platform/kernel';
import { Requires } from '../access/permission.ts';
import { CurrentPrincipal } from '../access/principal.ts';
import { valueOrThrow } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { InSection } from '../openapi/sections.ts';
import {
  ChangedSettings,
  changedSettings,
  ResetReport,
  resetReport,
  SettingsRecord,
  SuggestedBuckets,
  settingsRecord,
} from './settings.responses.ts';

@Controller('v3/settings')
@InSection('Settings')
export class SettingsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @Requires('full')
  @Documented({
    id: 'getSettings',
    summary: 'Read the settings of the organization',
    description: 'Secrets are masked.',
    answer: SettingsRecord,
    refuses: [],
  })
  get(@CurrentPrincipal() principal: Principal) {
    return this.queries.execute(new GetSettings(principal)).then(settingsRecord);
  }

  @Patch()
  @Requires('admin')
  @Documented({
    id: 'updateSettings',
    summary: 'Change settings of the organization',
    description: 'Only `chunkSize` has an effect in this version. All other settings are stored and returned.',
    answer: ChangedSettings,
    refuses: [],
  })
  change(@CurrentPrincipal() principal: Principal, @Body() body: ChangeSettingsInput) {
    const sent = sentSettings(body);
    return this.commands
      .execute(changeSettings(principal, sent))
      .then((changed) => changedSettings(principal.organization, valueOrThrow(changed).name, sent));
  }

  @Post('suggest-buckets')
  @HttpCode(200)
  @Requires('admin')
  @Documented({
    id: 'suggestBuckets',
    summary: 'Suggest groups for profiles',
    description: 'Fixed suggestions. 400 unless `filterPrompt` or `workspacePrompt` is set.',
    answer: SuggestedBuckets,
    refuses: [],
  })
  suggest(@CurrentPrincipal() principal: Principal) {
    return this.queries.execute(new SuggestBuckets(principal)).then((found) => ({ suggestions: valueOrThrow(found) }));
  }

  @Post('reset')
  @HttpCode(200)
  @Requires('admin')
  @Documented({
    id: 'resetSettings',
    summary: 'Erase everything',
    description:
      '**Ends all connections, and erases all documents, everything that is set on container tags, and all settings of the ' +
      'organization.** The keys stay. The example is the name of a new installation, so it is accepted.',
    answer: ResetReport,
    refuses: [],
  })
  reset(@CurrentPrincipal() principal: Principal, @Body() body: ResetSettingsInput) {
    return this.commands.execute(resetSettings(principal, body)).then((done) => resetReport(valueOrThrow(done)));
  }
}
