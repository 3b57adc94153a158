// The request types of the vendors, under the names of the formats.
import type { MessageCreateParamsNonStreaming } from "@anthropic-ai/sdk/resources/messages/messages";
import type { Content, Tool } from "@google/genai";
import type { ChatCompletionCreateParamsNonStreaming } from "openai/resources/chat/completions/completions";
import type { ResponseCreateParamsNonStreaming } from "openai/resources/responses/responses";

export type OpenAiChat = ChatCompletionCreateParamsNonStreaming;
export type OpenAiResponses = ResponseCreateParamsNonStreaming;
export type Anthropic = MessageCreateParamsNonStreaming;
// The package's own request is its function's arguments; what goes over the wire is made of these.
export interface Gemini {
  contents: Content[];
  systemInstruction?: Content;
  tools?: Tool[];
}
