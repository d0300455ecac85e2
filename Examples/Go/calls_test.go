package calls

import (
	"encoding/json"
	"net"
	"os/exec"
	"testing"
	"time"
)

const payload = `{"aps": {"alert": {"title": "Anna"}, "mutable-content": 1},
	"info": {"type": "call-request", "callId": "a"}}`

func TestEnds(t *testing.T) {
	for act, reason := range map[string]string{"answer": "answered", "decline": "declined"} {
		act, reason := act, reason
		t.Run(act, func(t *testing.T) {
			t.Parallel()
			environment := bell(t)
			push, err := net.Dial("unix", value(environment, "BELFRY_SOCKET"))
			if err != nil {
				t.Fatal(err)
			}
			push.SetDeadline(time.Now().Add(10 * time.Second))
			push.Write([]byte(payload))
			var ended string
			for events := json.NewDecoder(push); ; {
				var event struct{ Event, Mode, Reason string }
				if events.Decode(&event) != nil {
					break
				}
				switch event.Event {
				case "ringing":
					if event.Mode != "loud" {
						t.Error("rings ", event.Mode)
					}
					command := exec.Command("belfry", act, "a")
					command.Env = environment
					if err := command.Run(); err != nil {
						t.Error(err)
					}
				case "ended":
					ended = event.Reason
				}
			}
			if ended != reason {
				t.Errorf("ended as %q", ended)
			}
		})
	}
}
