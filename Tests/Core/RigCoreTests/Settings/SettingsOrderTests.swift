import CaptureModel
import CaptureTestSupport
import RigTestSupport
import StorageKit
import Testing

@testable import RigCore

/// What each camera is asked, without a rig.
@Suite struct SettingsOrderTests {
    private let (north, south): (DeviceID, DeviceID)

    init() throws { (north, south) = (try DeviceID("north/cam"), try DeviceID("south/cam")) }

    private func settings(_ text: String) throws -> CaptureSettings { try CaptureSettings(parsing: text) }

    private func past(
        _ id: Int64, undoes: Int64? = nil, _ cameras: (DeviceID, String?, CameraSettingsOutcome.Word?)...
    ) throws -> PastSettings {
        PastSettings(
            id: Samples.settings(id), realtimeNanoseconds: id, principal: "anna",
            undoes: undoes.map { Samples.settings($0) },
            cameras: try cameras.map { device, earlier, outcome in
                PastSettings.Camera(
                    device: device, settings: try settings("gain=raw:\(id)"),
                    earlier: try earlier.map { try settings($0) },
                    outcome: outcome)
            })
    }

    private func undo(_ history: [PastSettings], without absent: DeviceID? = nil) -> SettingsOrder? {
        SettingsOrder(undoing: history, by: "anna") { $0 != absent }
    }

    @Test func `A camera's own settings replace those of the same name, and join the others`() throws {
        let request = SettingsRequest(
            id: Samples.settings(), selection: Selection(), settings: try settings("gain=raw:1 wb=5200K"),
            cameras: [south: try settings("gain=raw:2 driver.hue=3")])
        let order = try SettingsOrder(request, cameras: [north, south])
        #expect(order.settings[north] == (try settings("gain=raw:1 wb=5200K")))
        #expect(order.settings[south] == (try settings("wb=5200K gain=raw:2 driver.hue=3")))
    }

    @Test func `Settings of a camera that is not selected are refused by its name`() throws {
        let request = SettingsRequest(
            id: Samples.settings(), selection: Selection(), settings: try settings("gain=raw:1"),
            cameras: [try DeviceID("north/cma"): try settings("gain=raw:2")])
        let error = #expect(throws: RigProblem.self) { try SettingsOrder(request, cameras: [north]) }
        #expect(error?.code == .unknownDevice && error?.message.contains("north/cma") == true)
    }

    @Test func `A selected camera without settings is refused by its name`() throws {
        let request = SettingsRequest(
            id: Samples.settings(), selection: Selection(), settings: CaptureSettings(),
            cameras: [north: try settings("gain=raw:2")])
        let error = #expect(throws: RigProblem.self) { try SettingsOrder(request, cameras: [north, south]) }
        #expect(error?.message.contains("south/cam") == true)
    }

    private func profile(_ cameras: [DeviceID]) throws -> SettingsProfile {
        SettingsProfile(
            name: try #require(ProfileName("night")), version: 2, realtimeNanoseconds: 0, principal: "anna",
            cameras: try cameras.map {
                SettingsProfile.Camera(device: $0, make: "Caprig", model: "A", settings: try settings("driver.gain=1"))
            })
    }

    private func held(_ model: String?, values of: String? = nil) -> Result<HeldSettings, RigProblem> {
        .success(
            HeldSettings(
                make: of.map { _ in "Caprig" }, model: of,
                present: HardwareModel(make: model.map { _ in "Caprig" }, model: model)))
    }

    @Test func `A profile asks the cameras that are there and of the same model, and refuses the others`() throws {
        let (gone, other) = (try DeviceID("north/gone"), try DeviceID("north/other"))
        let profile = try profile([north, gone, other, south])
        var order = SettingsOrder(profile, present: { $0 != gone })
        #expect(order.open == [north, other, south] && order.profile == profile.reference)
        order.examine(north, held("A", values: "B"))
        order.examine(other, held("B", values: "A"))
        order.examine(south, .failure(RigProblem(.nodeUnreachable, "south/cam: away")))
        #expect(order.open == [north])
        #expect(order.ended[gone]?.problem?.code == .unknownDevice)
        #expect(order.ended[other]?.problem?.message.contains("north/other is a Caprig B") == true)
        #expect(order.ended[south]?.problem?.code == .nodeUnreachable)
    }

    @Test func `Of a camera that was not open yet, it counts whose values it is to have`() throws {
        var order = SettingsOrder(try profile([north, south]), present: { _ in true })
        order.examine(north, held(nil, values: "A"))
        order.examine(south, held(nil))
        #expect(order.open == [north])
        #expect(order.ended[south]?.problem?.message.contains("unknown model") == true)
    }

    @Test func `An undo is of the newest transaction, with the values before it, and the next one of that before`()
        throws
    {
        let first = try past(1, (north, "driver.gain=0", .set), (south, "driver.gain=5", .set))
        let second = try past(2, (north, "driver.gain=1", .rounded))
        let order = try #require(undo([first, second]))
        #expect(try order.undoes == second.id && order.settings == [north: settings("driver.gain=1")])
        let done = try past(3, undoes: 2, (north, "driver.gain=2", .set))
        let next = try #require(undo([first, second, done]))
        #expect(try next.undoes == first.id && next.settings[north] == (settings("driver.gain=0")))
        #expect(next.settings[south] == (try settings("driver.gain=5")))
        let all = try past(4, undoes: 1, (north, "driver.gain=1", .set), (south, "driver.gain=1", .set))
        #expect(undo([first, second, done, all]) == nil)
    }

    @Test func `A camera that an undo has not reached is undone by the next one, unless the rig has forgotten it`()
        throws
    {
        let first = try past(1, (north, "driver.gain=0", .set))
        let second = try past(2, (north, "driver.gain=1", .set), (south, "driver.gain=5", .set))
        let partial = try past(3, undoes: 2, (north, "driver.gain=2", .set), (south, nil, .lost))
        #expect(undo([first, second, partial])?.settings == [south: try settings("driver.gain=5")])
        #expect(undo([first, second, partial], without: south)?.undoes == first.id)
    }

    @Test func `Cameras that were not changed are not undone`() throws {
        #expect(undo([try past(1, (north, nil, .refused), (south, "driver.gain=1", .undone))]) == nil)
        #expect(undo([try past(1, (north, "", .set))]) == nil, "nothing was set")
    }

    @Test(arguments: [CameraSettingsOutcome.Word.failed, .lost, nil])
    func `A camera that may have been changed is undone`(outcome: CameraSettingsOutcome.Word?) throws {
        #expect(undo([try past(1, (north, "driver.gain=1", outcome))])?.open == [north])
    }

    @Test func `What is not known is not put back, and is said`() throws {
        let order = try #require(undo([try past(1, (north, nil, .set), (south, "driver.gain=1", .set))]))
        #expect(order.open == [south] && order.ended[north]?.problem?.message.contains("not known") == true)
    }

    @Test func `Settings that wait for a camera's start are dropped, which an undo needs no values for`() throws {
        let first = try past(1, (north, nil, .deferred))
        var order = try #require(undo([first]))
        #expect(order.waiting == [north: [first.id]])
        order.drop(north, [SettingsOrder.Drop(id: first.id, answer: .success(()))])
        #expect(order.open.isEmpty && order.ended[north]?.word == .undone)
        var dropped = try past(2, undoes: 1, (north, nil, .undone))
        dropped.cameras[0].settings = CaptureSettings()
        #expect(undo([first, dropped]) == nil)
    }

    @Test func `An undo takes a transaction, or the newest one of the cameras that are named, and nothing else`() throws
    {
        let history = [
            try past(1, (north, "driver.gain=1", .set), (south, "driver.gain=2", .set)),
            try past(2, (south, "driver.gain=3", .set)),
        ]
        func undo(_ scope: UndoScope) -> SettingsOrder? {
            SettingsOrder(undoing: history, scope, by: "anna") { _ in true }
        }
        #expect(undo(.newest)?.cameras == [south] && undo(.newest)?.undoes == Samples.settings(2))
        let older = undo(UndoScope(cameras: [north]))
        #expect(try older?.undoes == Samples.settings(1) && older?.settings == [north: settings("driver.gain=1")])
        let named = undo(UndoScope(Samples.settings(1)))
        #expect(named?.undoes == Samples.settings(1) && named?.cameras == [north, south])
        #expect(undo(UndoScope(Samples.settings(1), cameras: [south]))?.cameras == [south])
        #expect(undo(UndoScope(Samples.settings(2), cameras: [north])) == nil)
        #expect(undo(UndoScope(Samples.settings(9))) == nil)
    }

    @Test func `A camera that another transaction has does not keep the others from being undone`() throws {
        let history = [try past(1, (north, "driver.gain=1", .set), (south, "driver.gain=2", .deferred))]
        var order = try #require(undo(history))
        order.refuse(busy: [south])
        #expect(order.open == [north] && order.waiting.isEmpty)
        #expect(order.ended[south]?.problem?.code == .conflict)
    }

    @Test func `Where all are required, a camera that a profile cannot set keeps the others from being asked`() throws {
        let profile = SettingsProfile(
            name: try #require(ProfileName("night")), version: 1, realtimeNanoseconds: 0, principal: "anna",
            cameras: try [north, south].map {
                SettingsProfile.Camera(device: $0, make: nil, model: nil, settings: try settings("wb=5200K"))
            })
        for requireAll in [true, false] {
            var transaction = SettingsTransaction(
                SettingsRequest(id: Samples.settings(), origin: .undo(.newest), requireAll: requireAll),
                SettingsOrder(profile, present: { $0 == north }))
            #expect(transaction.begin() == (requireAll ? .end : .prepare([north])))
            #expect(transaction.cameras.map(\.outcome.word) == (requireAll ? [.refused, .refused] : [.refused]))
        }
    }

    @Test func `A repeat after a restart asks what was asked, and nothing of cameras that refused`() throws {
        var stored = try past(2, undoes: 1, (north, "driver.gain=1", nil), (south, nil, .refused))
        stored.profile = ProfileReference("night@3")
        let order = SettingsOrder(repeating: stored)
        #expect(try order.open == [north] && order.settings[north] == (settings("gain=raw:2")))
        #expect(
            order.ended[south]?.word == .refused && order.profile == stored.profile && order.undoes == stored.undoes)
    }
}
