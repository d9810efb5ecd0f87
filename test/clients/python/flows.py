"""The flows of the public Python client against a running server.

Each flow runs with the synchronous and with the asynchronous client. The package reads the address and the key of the
server from SUPERMEMORY_BASE_URL and SUPERMEMORY_API_KEY. LOSSY_URL is a proxy before the same server that drops the
answer to the first attempt of each request.
"""

import asyncio
import inspect
import io
import json
import logging
import os
import tempfile
import time
import unittest
from pathlib import Path

import httpx
import supermemory

# These test cases run in the debug mode of asyncio, which reports every slow step.
logging.getLogger("asyncio").setLevel(logging.ERROR)

TIMEOUT_SECONDS = 60
MAX_FILE_BYTES = 52_428_800


async def result(value):
    """Returns the answer of a call of either client."""
    return await value if inspect.isawaitable(value) else value


async def refused(call, kind):
    """Returns the error that a call raises. It must be of exactly this class."""
    try:
        await result(call())
    except supermemory.APIError as error:
        assert type(error) is kind, f"{type(error)} {error}"
        return error
    raise AssertionError(f"no {kind.__name__}")


class Flows:
    client_class = None

    async def asyncSetUp(self):
        self.client = self.client_class()
        self.lossy = self.client_class(base_url=os.environ["LOSSY_URL"])
        self.tag = f"{self.client_class.__name__}/{self._testMethodName}"

    async def asyncTearDown(self):
        await result(self.client.close())
        await result(self.lossy.close())

    async def done(self, document_id):
        """Waits until a document is processed and returns its record."""
        end = time.monotonic() + TIMEOUT_SECONDS
        while time.monotonic() < end:
            document = await result(self.client.documents.get(document_id))
            self.assertNotEqual(document.status, "failed", document)
            if document.status == "done":
                return document
            await asyncio.sleep(0.02)
        raise AssertionError(f"{document_id} is not done")

    async def listed(self, tag=None, **options):
        answer = await result(self.client.documents.list(container_tags=[tag or self.tag], **options))
        return answer.memories

    async def test_a_document_is_added_updated_and_deleted(self):
        name = f"{self.tag}:one"
        metadata = {"topic": "bees", "year": 2024, "weight": 0.5, "starred": True}
        added = await result(
            self.client.add(content="Ottilie keeps bees.", container_tag=self.tag, custom_id=name, metadata=metadata)
        )
        self.assertRegex(added.id, r"^[A-Za-z0-9]{22}$")
        self.assertEqual(added.status, "queued")
        document = await self.done(added.id)
        self.assertEqual(
            (document.id, document.custom_id, document.content, document.container_tags, document.metadata),
            (added.id, name, "Ottilie keeps bees.", [self.tag], metadata),
        )
        self.assertEqual((document.type, document.task_type, document.dreaming_status), ("text", "memory", "done"))
        self.assertEqual([memory.memory for memory in document.memories], ["Ottilie keeps bees."])

        again = await result(
            self.client.documents.add(content="Ottilie keeps bees.", container_tags=[self.tag], custom_id=name)
        )
        self.assertEqual((again.id, again.status), (added.id, "done"))

        # Before the update is processed, too.
        await result(self.client.documents.update(name, content="Ottilie sold the bees.", metadata={"topic": "sale"}))
        updated = await result(self.client.documents.update(added.id, container_tags=[self.tag, "bees"]))
        self.assertEqual(updated.id, added.id)
        document = await self.done(added.id)
        self.assertEqual(document.content, "Ottilie sold the bees.")
        self.assertEqual(document.metadata, {"topic": "sale"})
        self.assertEqual(document.container_tags, [self.tag, "bees"])

        self.assertIsNone(await result(self.client.documents.delete(name)))
        for lost in (added.id, name):
            await refused(lambda: self.client.documents.get(lost), supermemory.NotFoundError)
        self.assertEqual(await self.listed(), [])

    async def test_a_batch_is_answered_in_order(self):
        documents = [
            {"content": "The first heron.", "custom_id": f"{self.tag}:first", "metadata": {"place": 1}},
            {"content": "  "},
            {"content": "The third heron."},
        ]
        answer = await result(
            self.client.documents.batch_add(documents=documents, container_tag=self.tag, metadata={"kind": "bird"})
        )
        self.assertEqual((answer.success, answer.failed), (2, 1))
        first, second, third = answer.results
        self.assertEqual((second.id, second.status, second.details), ("", "error", "content"))
        self.assertEqual((await self.done(first.id)).metadata, {"kind": "bird", "place": 1})
        self.assertEqual((await self.done(third.id)).content, "The third heron.")
        texts = await result(self.client.documents.batch_add(documents=["A text.", "Another."], container_tag=self.tag))
        self.assertEqual([one.status for one in texts.results], ["queued", "queued"])
        self.assertEqual(len(await self.listed()), 4)

    async def test_files_are_uploaded_in_every_form(self):
        text = b"The lighthouse keeper counts cormorants."
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "keeper.txt")
            path.write_bytes(text)
            with open(path, "rb") as opened:
                forms = {
                    "bytes": (text, "upload"),
                    "a path": (path, "keeper.txt"),
                    "a tuple": (("notes.md", text, "text/markdown"), "notes.md"),
                    "an open file": (opened, "keeper.txt"),
                    "a tuple with an open stream": (("stream.txt", io.BytesIO(text)), "stream.txt"),
                    "a tuple without a name": ((None, text), "unknown_file"),
                }
                for kind, (file, title) in forms.items():
                    with self.subTest(kind):
                        await self.upload(file, title, text.decode(), f"{self.tag} {kind}")

    async def upload(self, file, title, text, tag):
        added = await result(
            self.client.documents.upload_file(
                file=file, container_tags=json.dumps([tag, "keepers"]), metadata=json.dumps({"shelf": 7})
            )
        )
        document = await self.done(added.id)
        self.assertEqual(
            (document.title, document.content, document.metadata, document.container_tags),
            (title, text, {"shelf": 7}, [tag, "keepers"]),
        )
        found = await result(self.client.search.documents(q="cormorants", container_tags=[tag]))
        self.assertEqual([one.document_id for one in found.results], [added.id])

    async def test_a_file_that_is_too_large_is_refused_once(self):
        error = await refused(
            lambda: self.client.documents.upload_file(file=bytes(MAX_FILE_BYTES + 1), container_tag=self.tag),
            supermemory.APIStatusError,
        )
        self.assertEqual((error.status_code, error.body["code"]), (413, "payload_too_large"))
        self.assertEqual(error.request.headers["x-stainless-retry-count"], "0")

    async def test_documents_are_listed_in_pages(self):
        for number in range(3):
            await result(
                self.client.add(content=f"Page {number}.", container_tag=self.tag, metadata={"number": number})
            )
        pages = [
            await result(
                self.client.documents.list(container_tags=[self.tag], limit=2, page=page, order="asc", sort="createdAt")
            )
            for page in (1, 2)
        ]
        self.assertEqual([[one.metadata["number"] for one in page.memories] for page in pages], [[0, 1], [2]])
        page = pages[0].pagination
        self.assertEqual((page.current_page, page.total_pages, page.total_items, page.limit), (1, 2, 3, 2))
        filters = {"and_": [{"key": "number", "value": "1", "filter_type": "numeric", "numeric_operator": ">="}]}
        filtered = await self.listed(filters=filters, include_content=True, order="asc")
        self.assertEqual([one.content for one in filtered], ["Page 1.", "Page 2."])
        for one in await self.listed():
            await self.done(one.id)
        processing = await result(self.client.documents.list_processing())
        self.assertNotIn(filtered[0].id, [one.id for one in processing.documents])

    async def test_documents_are_deleted_in_bulk(self):
        first, second = [
            (await result(self.client.add(content=f"Bulk {number}.", container_tag=self.tag))).id for number in range(2)
        ]
        some = await result(self.client.documents.delete_bulk(ids=[first, "unknown"]))
        self.assertEqual((some.success, some.deleted_count), (False, 1))
        self.assertEqual([one.id for one in some.errors], ["unknown"])
        self.assertEqual([one.id for one in await self.listed()], [second])
        rest = await result(self.client.documents.delete_bulk(container_tags=[self.tag]))
        self.assertEqual((rest.success, rest.deleted_count, rest.container_tags), (True, 1, [self.tag]))
        self.assertEqual(await self.listed(), [])

    async def test_documents_are_found_by_every_search(self):
        added = await result(
            self.client.add(content="The umbrella stands behind the piano.", container_tag=self.tag, metadata={"n": 1})
        )
        await self.done(added.id)
        search = self.client.search
        filters = {"AND": [{"key": "n", "value": "1"}]}
        for call in (search.documents, search.execute):
            answer = await result(call(q="umbrella", container_tags=[self.tag], filters=filters, include_full_docs=True))
            self.assertEqual([one.document_id for one in answer.results], [added.id])
            self.assertEqual(answer.results[0].content, "The umbrella stands behind the piano.")
            self.assertTrue(answer.results[0].chunks[0].is_relevant)
        for mode in ("memories", "hybrid", "documents"):
            answer = await result(
                search.memories(q="umbrella", container_tag=self.tag, search_mode=mode, threshold=0)
            )
            self.assertIn("umbrella", answer.results[0].memory or answer.results[0].chunk)
            self.assertEqual(answer.total, len(answer.results))
        again = await result(self.client.add(content="The umbrella is broken.", container_tag=self.tag))
        await self.done(again.id)
        include = {"documents": True, "summaries": True, "related_memories": True, "chunks": True}
        answer = await result(
            search.memories(q="umbrella", container_tag=self.tag, threshold=0, aggregate=True, include=include)
        )
        joined = [one for one in answer.results if one.is_aggregated]
        self.assertEqual([{one.id for one in each.documents} for each in joined], [{added.id, again.id}])
        for each in answer.results:
            self.assertEqual((each.context.parents, each.context.children, each.context.related), ([], [], []))
            self.assertTrue({one.document_id for one in each.chunks} <= {one.id for one in each.documents})
        profile = await result(self.client.profile(container_tag=self.tag, q="umbrella", threshold=0))
        self.assertEqual(profile.profile.static, [])
        self.assertIn("umbrella", profile.profile.dynamic[0])
        self.assertGreater(len(profile.search_results.results), 0)
        empty = await result(self.client.profile(container_tag=f"{self.tag} unknown", q="umbrella"))
        self.assertEqual((empty.profile.dynamic, empty.search_results.results), ([], []))

    async def test_raw_and_streamed_responses(self):
        response = await result(self.client.with_raw_response.add(content="Raw.", container_tag=self.tag))
        self.assertEqual(response.status_code, 200)
        self.assertTrue(response.headers["x-request-id"])
        added = await result(response.parse())
        streaming = self.client.documents.with_streaming_response.get(added.id)
        if isinstance(self.client, supermemory.Supermemory):
            with streaming as answer:
                document = answer.parse()
        else:
            async with streaming as answer:
                document = await answer.parse()
        self.assertEqual(document.content, "Raw.")
        raw = await result(self.client.documents.with_raw_response.delete(added.id))
        self.assertEqual((raw.status_code, await result(raw.text())), (204, ""))

    async def test_refusals_have_their_error_classes(self):
        error = await refused(lambda: self.client.add(content="  "), supermemory.BadRequestError)
        self.assertEqual((error.status_code, error.message), (400, "Error code: 400 - " + str(error.body)))
        self.assertEqual((error.body["code"], error.body["details"]), ("invalid_request", "content"))
        error = await refused(
            lambda: self.client.add(content="x", metadata={"tags": ["a"]}), supermemory.BadRequestError
        )
        self.assertEqual(error.body["details"], "metadata.tags")
        stranger = self.client.with_options(api_key="sm_nobody_0123456789abcdef")
        error = await refused(lambda: stranger.documents.list(), supermemory.AuthenticationError)
        self.assertEqual(error.body["code"], "unauthorized")
        for call in (self.client.documents.get, self.client.documents.delete):
            error = await refused(lambda: call("unknown"), supermemory.NotFoundError)
            self.assertEqual(error.body["code"], "not_found")
        headers = {"Idempotency-Key": self.tag}
        await result(self.client.add(content="The first request.", container_tag=self.tag, extra_headers=headers))
        error = await refused(
            lambda: self.client.add(content="Another one.", container_tag=self.tag, extra_headers=headers),
            supermemory.ConflictError,
        )
        self.assertEqual(error.request.headers["x-stainless-retry-count"], "0")
        nobody = self.client.with_options(base_url="http://127.0.0.1:9", max_retries=0)
        await refused(lambda: nobody.documents.list(), supermemory.APIConnectionError)

    async def test_a_lost_answer_changes_nothing(self):
        add = await result(self.lossy.add(content="Only once.", container_tag=self.tag))
        self.assertEqual([one.id for one in await self.listed()], [add.id])

        name = f"{self.tag}:delta"
        for turn in ("The first turn.", "The second turn."):
            delta = await result(self.lossy.add(content=turn, custom_id=name, container_tag=f"{self.tag} delta"))
        document = await result(self.client.documents.get(delta.id))
        self.assertEqual(document.content, "The first turn.\nThe second turn.")

        for kind, file in {"bytes": b"name,city\nAda,Oslo\n", "a stream": io.BytesIO(b"name\nGrace\n")}.items():
            tag = f"{self.tag} upload of {kind}"
            upload = await result(self.lossy.documents.upload_file(file=("people.csv", file), container_tag=tag))
            self.assertEqual([one.id for one in await self.listed(tag)], [upload.id])

        tag = f"{self.tag} delta"
        batch = await result(
            self.lossy.documents.batch_add(
                documents=[
                    {"content": "A new one."},
                    {"content": "A delta of the batch.", "custom_id": name},
                    {"content": "A second delta of it.", "custom_id": name},
                ],
                container_tag=tag,
            )
        )
        self.assertEqual([one.id for one in batch.results[1:]], [delta.id, delta.id])
        self.assertEqual({one.id for one in await self.listed(tag)}, {one.id for one in batch.results})
        document = await result(self.client.documents.get(delta.id))
        self.assertEqual(
            document.content,
            "The first turn.\nThe second turn.\nA delta of the batch.\nA second delta of it.",
        )

    async def test_a_lost_answer_to_a_conversation_changes_nothing(self):
        name = f"{self.tag}:chat"
        for word in ("hello", "goodbye"):
            body = {
                "conversationId": name,
                "messages": [{"role": "user", "content": word}, {"role": "assistant", "content": f"{word} to you"}],
                "containerTags": [self.tag],
            }
            saved = await result(self.lossy.post("/v4/conversations", cast_to=object, body=body))
        self.assertEqual([one.id for one in await self.listed()], [saved["id"]])
        document = await result(self.client.documents.get(name))
        self.assertEqual(
            document.content, "user: hello\nassistant: hello to you\nuser: goodbye\nassistant: goodbye to you"
        )

    async def test_former_paths_are_redirected(self):
        body = {"content": "Added in the old way.", "containerTags": [self.tag]}
        added = await result(self.client.post("/v3/memories", cast_to=object, body=body))
        response = await result(self.client.get(f"/v3/memories/{added['id']}", cast_to=httpx.Response))
        self.assertEqual(response.json()["content"], "Added in the old way.")


class SynchronousClient(Flows, unittest.IsolatedAsyncioTestCase):
    client_class = supermemory.Supermemory


class AsynchronousClient(Flows, unittest.IsolatedAsyncioTestCase):
    client_class = supermemory.AsyncSupermemory
