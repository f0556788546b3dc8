import CaptureModel

/// Setting the controls: at T, to put them back, and by name; and finding the frames that have them.
extension SettingsOutput {
    /// Sets controls by name, for a client.
    func setControls(_ values: [String: Int64]) async throws(RigProblem) -> [String: Int64] {
        await awaitRefocus()
        var number: UInt64?
        let read: [String: Int64]
        do throws(RigProblem) {
            read = try await controls.set(values, unless: { obstacle }) {
                begin(nil, values, after: controls.lastFrame(before: now))
                number = controls.revisions.number
            }
        } catch {
            // The camera has set nothing.
            if error.code == .unsupportedSettings, let number { controls.revisions.refused(number) }
            throw error
        }
        if number == controls.revisions.number { controls.revisions.accepted() }
        await desired.keep(byName: read, values.keys)
        return read
    }

    /// Sets the controls at T minus the lead, and watches the frames. Returns when the transaction has its outcome.
    func apply(_ id: SettingsID, at time: RigTime) async {
        let alarm = waiters.begin(id)
        defer { waiters.end(id) }
        await waitForTime(time, of: id, alarm)
        guard let prepared = controls.transactions.beginSetting(id) else { return }
        let watch: SettingsMachine.Confirmation?
        if let exchange = prepared.stream {
            watch = await stream.reopen(exchange, prepared, of: id)
        } else {
            watch = await set(prepared, of: id, alarm)
        }
        waiters.wake()
        if let watch { await confirm(watch, of: id, alarm) }
        await tell(id)
    }

    /// Returns when the controls must be set, or the transaction has ended.
    private func waitForTime(_ time: RigTime, of id: SettingsID, _ alarm: Alarm) async {
        while let prepared = controls.transactions.waiting(id) {
            // The estimate of rig time moves by microseconds, so the instant is converted again each time.
            guard let target = session.rigClock.localTime(at: time) else {
                return controls.transactions.giveUp(id, because: controls.transactions.unsynchronized)
            }
            let instant = (prepared.leadsToFrame ? nearestFrame(to: target) : target) - prepared.preparation.lead
            guard instant > now else { return }
            guard !Task.isCancelled else {
                return controls.transactions.giveUp(id, because: session.shuttingDown)
            }
            await alarm.wait(until: instant)
        }
    }

    /// Returns the middle of exposure of the frame nearest to an instant. A camera acts with a frame, so it is as late as was
    /// measured only if it is set as long before one.
    private func nearestFrame(to instant: LocalTime) -> LocalTime {
        guard let last = controls.frames.last?.midExposure, session.interval > .zero else { return instant }
        let frames = (Double((instant - last).nanoseconds) / Double(session.interval.nanoseconds)).rounded()
        return last + session.interval * Int(frames)
    }

    /// - Returns: How the change is watched; nil if it has failed.
    private func set(
        _ prepared: PreparedSettings, of id: SettingsID, _ alarm: Alarm
    ) async -> SettingsMachine.Confirmation? {
        do throws(RigProblem) {
            let (isOldKnown, since) = (controls.isSettled, controls.revisions.newestIsSince)
            controls.revisions.begin(
                id, after: controls.lastFrame(before: now)?.sequence,
                exposures: prepared.changes.exposures(interval: session.interval))
            let number = controls.revisions.number
            restoration.end()
            let read = try await controls.set(prepared.values)
            await desired.keep(read.values, pressing: prepared.buttons, of: id)
            let focused = try await awaitFocus(of: prepared, pressed: read.accepted, id, alarm)
            if number == controls.revisions.number { controls.revisions.accepted() }
            let changes = prepared.changes.map { change in
                var change = change
                change.new = read.values[change.control] ?? change.new
                return change
            }
            let watch = ChangeoverWatch(
                changes, began: read.began, accepted: read.accepted, focused: focused,
                interval: session.interval, newest: controls.frames.last, isOldKnown: isOldKnown,
                hasPictures: session.ring.newest?.picture != nil)
            controls.transactions.accepted(
                id, SettingsMachine.Confirmation(watch: watch, controls: read.values, oldSince: since))
            return controls.transactions.confirmation(of: id)
        } catch {
            controls.transactions.failed(id, error)
            return nil
        }
    }

    private func confirm(
        _ confirmation: SettingsMachine.Confirmation, of id: SettingsID, _ alarm: Alarm
    ) async {
        let watch = confirmation.watch
        var pictures = PictureWatch(confirmation)
        while controls.transactions.confirmation(of: id) != nil {
            // Frames that arrive during this are looked at together with those that could be measured.
            let frames = Array(controls.frames)
            let due = pictures?.due(in: session.ring) ?? []
            await pictures?.measure(due, meter)
            guard controls.transactions.confirmation(of: id) != nil else { return }
            // A task that is cancelled learns nothing more.
            let instant = Task.isCancelled ? watch.deadline : now
            if let observed = watch.observed(in: frames, pictures: pictures?.step, at: instant) {
                // Frames that show these values do not show those of an earlier change, which may still come.
                if observed.firstNew == nil || confirmation.reopening?.isSettled ?? watch.isOldKnown {
                    controls.revisions.decide(observed)
                    if observed.firstNew != nil { controls.noteSettled() }
                }
                let change = confirmation.reopening?.completed(observed) ?? observed
                return controls.transactions.confirmed(id, effect(change, confirmation))
            }
            await alarm.wait(until: watch.deadline)
        }
    }

    private func effect(
        _ change: ObservedChangeover, _ confirmation: SettingsMachine.Confirmation
    ) -> Result<SettingsEffect, RigProblem> {
        do throws(RigProblem) {
            return .success(
                SettingsEffect(
                    accepted: try session.rigTime(at: confirmation.watch.accepted), controls: confirmation.controls,
                    change: SettingsChangeover(
                        evidence: change.evidence, lastOld: try mark(change.lastOld),
                        firstNew: try mark(change.firstNew),
                        streamReopened: confirmation.reopening == nil ? nil : true)))
        } catch {
            return .failure(RigProblem(error.code, "\(error.message); the values are set"))
        }
    }

    private func mark(_ frame: FrameFacts?) throws(RigProblem) -> FrameMark? {
        guard let frame else { return nil }
        let mid = try session.rigTime(at: frame.midExposure)
        return FrameMark(
            sequence: frame.sequence,
            midExposure: BoundedRigTime(time: mid.time, bound: mid.bound + frame.stampBound))
    }

    func putBack(
        _ values: [String: Int64], _ exchange: StreamExchange?, _ id: SettingsID
    ) async throws(RigProblem) {
        var problem: RigProblem?
        do throws(RigProblem) {
            let revision = controls.revisions.replaced(by: id)
            if let exchange, exchange.isConfigured(in: session.setup.configuration) {
                restoration.end()
                try await stream.reopen(undoing: exchange, StreamOpening(revision, puttingBack: values))
            } else {
                begin(revision, values, after: controls.lastFrame(before: now))
                _ = try await controls.set(values)
                controls.revisions.accepted()
            }
            await desired.keep(undoing: id, values)
        } catch {
            problem = RigProblem(
                error.code, "\(error.message); settings transaction \(id) is not undone, try again")
        }
        controls.transactions.putBack(id, isDone: problem == nil)
        waiters.wake()
        await session.tell([.settings(device, .undone(id, problem))])
        if let problem { throw problem }
    }

    /// Notes that controls are set without knowing their present values.
    private func begin(_ revision: SettingsID?, _ values: [String: Int64], after frame: FrameFacts?) {
        let changes = values.map { ControlChange(control: $0.key, old: nil, new: $0.value) }
        restoration.end()
        controls.revisions.begin(
            revision, after: frame?.sequence, exposures: changes.exposures(interval: session.interval))
    }

    private func tell(_ id: SettingsID) async {
        // One that is being undone is reported by the call that undoes it.
        guard controls.transactions.active?.id != id,
            let record = controls.transactions.records.last(where: { $0.id == id })
        else { return }
        switch record.fate {
        case .set(let effect): await session.tell([.settings(device, .changed(id, .success(effect)))])
        case .failed(let problem): await session.tell([.settings(device, .changed(id, .failure(problem)))])
        case .dropped, .undone, .outOfReach: break
        }
    }
}
