"""An ADK memory that lives on this server: python docs/adk_agent.py http://127.0.0.1:8000 mbc_…"""

import asyncio
import sys

import agentplatform
from google.adk.memory import VertexAiMemoryBankService
from google.adk.memory.memory_entry import MemoryEntry
from google.genai.types import Content, Part
from google.oauth2.credentials import Credentials

URL, TOKEN = sys.argv[1:]
PLACE = {"project": "local-project", "location": "us-central1"}


class Memory(VertexAiMemoryBankService):
    def _build_api_client(self):
        return agentplatform.Client(**PLACE, credentials=Credentials(TOKEN), http_options={"base_url": URL}).aio


async def main():
    banks = agentplatform.Client(**PLACE, credentials=Credentials(TOKEN), http_options={"base_url": URL}).memory_banks
    memory = Memory(**PLACE, agent_engine_id=banks.create(config={"display_name": "ADK"}).name.split("/")[-1])
    who = {"app_name": "concierge", "user_id": "123"}
    fact = Content(role="user", parts=[Part(text="I only drink green tea.")])
    await memory.add_memory(**who, memories=[MemoryEntry(content=fact)])
    for entry in (await memory.search_memory(**who, query="what to offer at breakfast?")).memories:
        print(entry.content.parts[0].text)


asyncio.run(main())
