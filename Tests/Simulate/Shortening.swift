extension Plan {
    /// What goes wrong in it, as far as that does not depend on times and numbers; nil if all is well.
    var failure: String? { World(self).run().map { String($0.filter { !$0.isNumber }.prefix(40)) } }

    /// The shortest plan found that still fails as this one does.
    func shortened() -> Plan {
        guard let failure else { return self }
        var shortest = self
        var size = max(1, happenings.count / 2)
        while true {
            let before = shortest.happenings.count
            for start in stride(from: 0, to: before, by: size).reversed() {
                var plan = shortest
                plan.happenings.removeSubrange(start..<min(start + size, plan.happenings.count))
                if plan.failure == failure { shortest = plan }
            }
            if size == 1, shortest.happenings.count == before { break }
            size = max(1, size / 2)
        }
        for index in shortest.happenings.indices where shortest.happenings[index].fate != nil {
            var plan = shortest
            plan.happenings[index].fate = nil
            if plan.failure == failure { shortest = plan }
        }
        return shortest
    }

    /// How its run goes, and the time-line of that.
    func told() -> [String] {
        let world = World(self, tells: true)
        world.story.tell("with \(surroundings)")
        return [world.run() ?? "all is well"] + world.story.lines
    }
}
