// Written by `agent-riggs install --agent opencode`; `agent-riggs uninstall` removes it.
// Hands the result of a tool call to riggs-hook and appends what it answers. A tool that throws has no such event.
import { spawn } from "node:child_process"

const PROGRAM = "riggs-hook"
const GONE = "its program is gone"
const SETTINGS = {}

function ask(payload, gone) {
  return new Promise((resolve) => {
    let out = ""
    const done = () => resolve(out)
    try {
      const env = { ...process.env, ...SETTINGS }
      const child = spawn(PROGRAM, [], { env, stdio: ["pipe", "pipe", "ignore"], timeout: 5000 })
      child.on("error", () => (gone(), done()))
      child.on("close", done)
      child.stdin.on("error", () => {})
      child.stdout.on("data", (data) => (out += data))
      child.stdin.end(JSON.stringify({ host: "opencode", ...payload }))
    } catch {
      done()
    }
  })
}

export const AgentRiggs = async ({ client, directory }) => {
  let told = false
  const gone = () => {
    if (!told) client?.tui?.showToast({ body: { message: GONE, variant: "warning" } })?.catch?.(() => {})
    told = true
  }
  const after = async (input, output) => {
    if (typeof output?.output !== "string") return
    const exit = output.metadata?.exit
    if (input.tool !== "invalid" && !exit) return
    const payload = {
      hook_event_name: "after",
      session_id: input.sessionID,
      cwd: directory,
      tool_name: input.tool,
      tool_input: input.args ?? {},
      tool_use_id: input.callID,
      output: output.output,
      exit: exit ?? null,
    }
    const answer = await ask(payload, gone)
    try {
      const text = answer && JSON.parse(answer).additionalContext
      if (text) output.output += `\n<hook_context>${text}</hook_context>`
    } catch {}
  }
  const event = async ({ event }) => {
    if (event?.type !== "session.idle") return
    await ask({ hook_event_name: "idle", session_id: event.properties?.sessionID ?? "", cwd: directory }, gone)
  }
  return { "tool.execute.after": after, event }
}
