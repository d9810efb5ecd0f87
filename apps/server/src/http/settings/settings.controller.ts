import { Body, Controller, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { Caller } from '#kernel';
import { GetSettings, SuggestBuckets } from '#settings/use-cases';
import { CurrentCaller } from '../access/caller.ts';
import { Requires } from '../access/permission.ts';
import { accepted } from '../errors/refusals.ts';
import { Documented } from '../openapi/documented.ts';
import { ChangeSettingsBody, changeSettings, ResetBody, resetSettings, sentSettings } from './settings.dto.ts';
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
export class SettingsController {
  private readonly commands: CommandBus;
  private readonly queries: QueryBus;

  constructor(commands: CommandBus, queries: QueryBus) {
    this.commands = commands;
    this.queries = queries;
  }

  @Get()
  @Requires('full')
  @Documented({ summary: 'Read the settings of the organization', answer: SettingsRecord, refuses: [] })
  get(@CurrentCaller() { organization }: Caller) {
    return this.queries.execute(new GetSettings(organization)).then(settingsRecord);
  }

  @Patch()
  @Requires('admin')
  @Documented({ summary: 'Change settings of the organization', answer: ChangedSettings, refuses: [400] })
  change(@CurrentCaller() caller: Caller, @Body() body: ChangeSettingsBody) {
    const sent = sentSettings(body);
    return this.commands
      .execute(changeSettings(caller, sent))
      .then((changed) => changedSettings(caller.organization, accepted(changed).name, sent));
  }

  @Post('suggest-buckets')
  @HttpCode(200)
  @Requires('admin')
  @Documented({ summary: 'Suggest groups for profiles', answer: SuggestedBuckets, refuses: [400] })
  suggest(@CurrentCaller() { organization }: Caller) {
    return this.queries.execute(new SuggestBuckets(organization)).then((found) => ({ suggestions: accepted(found) }));
  }

  @Post('reset')
  @HttpCode(200)
  @Requires('admin')
  @Documented({
    summary: 'Erase all documents, values of container tags and settings of the organization',
    answer: ResetReport,
    refuses: [400],
  })
  reset(@CurrentCaller() caller: Caller, @Body() body: ResetBody) {
    return this.commands.execute(resetSettings(caller, body)).then((done) => resetReport(accepted(done)));
  }
}
