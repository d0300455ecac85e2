import assert from "node:assert"
import { execFile } from "node:child_process"
import net from "node:net"
import readline from "node:readline"
import { describe, test } from "node:test"
import { promisify } from "node:util"
import { bell } from "./bell.mjs"

describe("calls", { concurrency: true }, () => {
    for (const [act, reason] of [["answer", "answered"], ["decline", "declined"]]) {
        test(act, { timeout: 10_000 }, async (t) => {
            const env = await bell(t)
            const push = net.connect(env.BELFRY_SOCKET)
            push.write(JSON.stringify({
                aps: { alert: { title: "Anna" }, "mutable-content": 1 },
                info: { type: "call-request", callId: "a" },
            }))
            const events = {}
            for await (const line of readline.createInterface({ input: push })) {
                const event = JSON.parse(line)
                events[event.event] = event
                if (event.event === "ringing") await promisify(execFile)("belfry", [act, "a"], { env })
            }
            assert.equal(events.ringing.mode, "loud")
            assert.equal(events.ended.reason, reason)
        })
    }
})
