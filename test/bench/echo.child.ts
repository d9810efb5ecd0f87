/**
 * The baseline for adds: Nest on Fastify that returns each JSON body. Decorators are called as functions, because type
 * stripping does not support their syntax.
 */
import { Body, Controller, HttpCode, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';

/** Sent to the parent once it listens. */
export interface FromEcho {
  readonly url: string;
}

class EchoController {
  echo(body: unknown): unknown {
    return body;
  }
}

const method = Object.getOwnPropertyDescriptor(EchoController.prototype, 'echo') as PropertyDescriptor;
Controller()(EchoController);
Post('echo')(EchoController.prototype, 'echo', method);
HttpCode(200)(EchoController.prototype, 'echo', method);
Body()(EchoController.prototype, 'echo', 0);

class EchoModule {}
Module({ controllers: [EchoController] })(EchoModule);

const app = await NestFactory.create<NestFastifyApplication>(EchoModule, new FastifyAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
process.on('disconnect', () => process.exit(0));
process.send?.({ url: `${await app.getUrl()}/echo` } satisfies FromEcho);
