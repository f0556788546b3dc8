import CameraKit
import CaptureModel
import Glibc
import PosixSupport
import Testing
import Video4Linux

@testable import V4L2Camera

struct NodeAccessTests {
    private func access(
        _ code: Int32?, group: String? = "video", number: UInt32 = 44, mode: UInt32 = 0o660, isInGroup: Bool = false
    ) -> NodeAccess {
        let refusal = code.map { PosixError(code: $0, operation: "open", subject: "/dev/video9") }
        let ownership = FileAccess.Ownership(
            owner: 0, group: number, groupName: group, permissions: mode, isInGroup: isInGroup)
        return NodeAccess(FileAccess(refusal: refusal, ownership: ownership), path: "/dev/video9", .video)
    }

    @Test func anAllowedCameraWouldComeWithAdvice() {
        #expect(access(nil) == NodeAccess(.authorized, remedy: nil))
    }

    @Test func thePersonWouldNotLearnWhichGroupToJoin() throws {
        let denied = access(EACCES, group: "cameras")
        #expect(denied.status == .denied)
        let remedy = try #require(denied.remedy)
        #expect(remedy.contains("group 'cameras', which this process is not in"))
        #expect(remedy.contains("usermod -aG cameras") && remedy.contains("SupplementaryGroups=cameras"))
    }

    @Test(arguments: [(UInt32(0), UInt32(0o660)), (44, 0o600), (44, 0o640)])
    func thePersonWouldBeSentIntoAGroupThatMayNotUseTheCamera(_ group: UInt32, _ mode: UInt32) throws {
        let denied = access(EACCES, number: group, mode: mode)
        #expect(denied.status == .denied)
        let remedy = try #require(denied.remedy)
        #expect(remedy.contains(#"SUBSYSTEM=="video4linux", GROUP="video", MODE="0660""#))
        #expect(remedy.contains("udevadm trigger") && !remedy.contains("usermod"))
    }

    @Test func aMemberOfTheGroupWouldBeSentIntoTheGroup() throws {
        let remedy = try #require(access(EACCES, isInGroup: true).remedy)
        #expect(remedy.contains("getfacl /dev/video9") && remedy.contains("AppArmor") && !remedy.contains("usermod"))
    }

    @Test func aDevicePolicyWouldBeTakenForPermissions() throws {
        let restricted = access(EPERM, isInGroup: true)
        #expect(restricted.status == .restricted)
        let remedy = try #require(restricted.remedy)
        #expect(remedy.contains("DeviceAllow=char-video4linux rw") && remedy.contains("--device /dev/video9"))
    }

    @Test(arguments: [ENOENT, ENODEV, ENXIO])
    func anAbsentCameraWouldBeCalledForbidden(_ code: Int32) {
        #expect(access(code).status == .notDetermined)
    }

    @Test func aGroupWithoutANameWouldHideTheRemedy() throws {
        #expect(try #require(access(EACCES, group: nil, number: 4711).remedy).contains("number 4711"))
    }

    @Test func aCameraOfThisMachineWouldNotBeLookedAt() async {
        let camera = V4L2Camera(name: "null", identity: .path("/dev/null"))
        #expect(await camera.authorization() == .authorized)
        #expect(await camera.authorizationRemedy() == nil)
        let absent = V4L2Camera(name: "none", identity: .path("/nowhere/video0"))
        #expect(await absent.authorization() == .notDetermined)
        #expect(await absent.authorizationRemedy()?.contains("/nowhere/video0") == true)
        let error = await #expect(throws: CameraError.self) { try await absent.capabilities() }
        #expect(error?.code == .absent)
    }
}

struct ReturnedBuffersTests {
    let signal: EventFlag
    let returns: ReturnedBuffers

    init() throws {
        signal = try EventFlag()
        returns = ReturnedBuffers(signal: signal)
    }

    @Test func aCameraShortOfBuffersWouldDropFramesUntilItsNextOne() {
        _ = returns.removeAll { _ in true }
        returns.add(3)
        #expect(signal.clear())
        #expect(returns.removeAll { _ in false } == [3])
    }

    @Test func everyFrameWouldWakeTheCamerasThreadTwice() {
        _ = returns.removeAll { _ in false }
        returns.add(3)
        returns.add(5)
        #expect(!signal.clear())
        #expect(returns.removeAll { _ in false } == [3, 5])
    }

    @Test func buffersThatCameBackBeforeTheLookWouldNotCount() {
        returns.add(1)
        returns.add(2)
        var counted = 0
        let taken = returns.removeAll { count in
            counted = count
            return count < 2
        }
        #expect(taken == [1, 2])
        #expect(counted == 2)
        returns.add(1)
        #expect(!signal.clear())
    }

    @Test func oneReturnWouldWakeTheThreadForEachAfterIt() {
        _ = returns.removeAll { _ in true }
        returns.add(1)
        #expect(signal.clear())
        returns.add(2)
        #expect(!signal.clear())
        #expect(returns.removeAll { _ in true } == [1, 2])
    }
}

struct DeviceControlTests {
    @Test func aControlWouldLoseItsRangeMenuUnitOrValue() throws {
        let device = FakeControls()
        let controls = try DeviceControl.all(of: device)
        let byName = Dictionary(uniqueKeysWithValues: controls.map { ($0.name, $0) })
        #expect(
            byName["auto_exposure"]
                == DeviceControl(
                    name: "auto_exposure", kind: .menu, maximum: 3, defaultValue: 3,
                    menu: [.init(index: 0, name: "Auto Mode"), .init(index: 1, name: "Manual Mode")], value: 0))
        #expect(
            byName["exposure_time_absolute"]
                == DeviceControl(
                    name: "exposure_time_absolute", kind: .integer, minimum: 1, maximum: 5000, unit: "100 µs",
                    value: 156, isInactive: true))
        #expect(byName["gain"]?.step == 10)
        #expect(byName["pan_reset"]?.value == nil && byName["pan_reset"]?.kind == .button)
        #expect(byName["pixel_rate"]?.isReadOnly == true)
    }

    @Test func theExposureOfAnAutomaticWouldBeTakenForKnown() throws {
        let device = FakeControls()
        let controls = try SensorReading.Controls(of: device)
        #expect(!controls.isEmpty)
        func reading() -> SensorReading { SensorReading(of: device, controls) }
        #expect(reading().exposure == nil && reading().gain == 10)
        device.values[FakeControls.ID.mode] = 1
        #expect(reading().exposure == .microseconds(15_600))
        device.values[FakeControls.ID.exposure] = 0
        device.values[FakeControls.ID.gain] = 70
        #expect(reading().exposure == nil, "a time that is none")
        #expect(reading().gain == 70)
        device.isGone = true
        #expect(reading() == SensorReading())
    }

    @Test func aRefusedControlWouldBeCalledAForbiddenOrBrokenCamera() {
        let inactive = CameraError(ControlError(.inactive, "why"), device: "serial A")
        #expect(inactive.code == .unsupportedControl && inactive.reason.contains("nothing was changed"))
        #expect(CameraError(ControlError(.grabbed, "why"), device: "serial A").code == .busy)
        let gone = VideoError(errorNumber: ENODEV, operation: "VIDIOC_S_EXT_CTRLS", devicePath: "/dev/video9")
        let absent = CameraError(ControlError(.device(gone), "why", changed: ["gain"]), device: "serial A")
        #expect(absent.code == .absent && absent.reason.contains("may be changed: gain"))
    }
}
