import BelfryTerms
import Showing
import Testing

@Suite("What the desktop shows of alerts") struct ShownAlertTests {
    @Test("an alert replaces the one with its name, and nothing waits for it")
    func alerts() {
        var desk = Desk()
        func alert(_ title: String, _ name: String) -> [ShowingEffect] {
            desk.machine.alert(Desk.alert(title, "b", name: name), link: nil)
        }
        #expect(desk.told(alert("one", "x")) == ["notify 1 for 0: one | b | "])
        _ = desk.machine.shown(1, as: 3)
        #expect(desk.told(alert("two", "x")) == ["notify 2 for 3: two | b | "])
        _ = desk.machine.shown(2, as: 3)
        #expect(desk.told(alert("three", "y")) == ["notify 3 for 0: three | b | "])
        _ = desk.machine.shown(3, as: 4)
        #expect(!desk.machine.isBusy)
    }

    @Test("an alert that is withdrawn goes, by its name or with all of its group; others stay")
    func withdrawn() throws {
        var desk = Desk()
        let other = try #require(GroupName("group.b"))
        for (name, id) in [("x", 3), ("y", 4)] as [(String, UInt32)] {
            _ = desk.machine.alert(Desk.alert(name, "b", name: name), link: nil)
            _ = desk.machine.shown(Int64(id) - 2, as: id)
        }
        #expect(desk.told(desk.machine.withdraw(["x"], in: other)) == [])
        #expect(desk.told(desk.machine.withdraw(nil, in: other)) == [])
        #expect(desk.told(desk.machine.withdraw(["x", "z"], in: Desk.group)) == ["close 3"])
        #expect(desk.told(desk.machine.withdraw(nil, in: Desk.group)) == ["close 4"])
        #expect(desk.told(desk.machine.withdraw(nil, in: Desk.group)) == [])
    }

    @Test("an alert stays as a process before this one has shown it; its click counts, and it can be replaced")
    func restartedWithAlerts() {
        var old = Desk()
        old.machine.opensAlerts = true
        for (token, name) in [(Int64(1), "a"), (2, "b")] {
            _ = old.machine.alert(Desk.alert("t", "x", name: name), link: nil)
            _ = old.machine.shown(token, as: UInt32(token) + 3)
        }
        var new = Desk(server: nil)
        new.machine.opensAlerts = true
        let kept = old.machine.kept
        // Of a file that an earlier version wrote.
        let bare = KeptNotice(subject: .alert(Desk.group, name: "old"), id: 9)
        new.machine.inherit(kept + [bare], from: ":1.7")
        #expect(new.told(new.machine.serverIs(Desk.dunst)) == [])
        #expect(new.machine.kept == kept)
        #expect(new.told(new.machine.alert(Desk.alert("u", "x", name: "b"), link: nil)) == ["notify 1 for 5: u | x | "])
        #expect(new.machine.chosen("default", in: 4).first == .open(Desk.alert("t", "x", name: "a")))
    }
}
