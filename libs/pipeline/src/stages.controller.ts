import { Controller } from '@nestjs/common';
import { type BaseRpcContext, Ctx, EventPattern, Payload } from '@nestjs/microservices';
import { WORK, type WorkMessage } from '#message-bus';
import { Stages } from './stages.ts';
import type { Work } from './work.ts';

/** The pipeline's handlers: a stage each. */
@Controller()
export class StagesController {
  constructor(private readonly stages: Stages) {}

  @EventPattern<string>('pipeline.extract', WORK)
  extract(@Payload() message: WorkMessage, @Ctx() context: BaseRpcContext): Promise<void> {
    return this.#run('extract', message, context);
  }

  @EventPattern<string>('pipeline.chunk', WORK)
  chunk(@Payload() message: WorkMessage, @Ctx() context: BaseRpcContext): Promise<void> {
    return this.#run('chunk', message, context);
  }

  @EventPattern<string>('pipeline.embed', WORK)
  embed(@Payload() message: WorkMessage, @Ctx() context: BaseRpcContext): Promise<void> {
    return this.#run('embed', message, context);
  }

  @EventPattern<string>('pipeline.index', WORK)
  index(@Payload() message: WorkMessage, @Ctx() context: BaseRpcContext): Promise<void> {
    return this.#run('index', message, context);
  }

  #run(work: Work, message: WorkMessage, context: BaseRpcContext): Promise<void> {
    return this.stages.run(work, message, context.getArgByIndex(1));
  }
}
