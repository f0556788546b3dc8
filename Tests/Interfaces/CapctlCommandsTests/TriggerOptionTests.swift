import ArgumentParser
import CaptureModel
import Testing

@testable import CapctlCommands

@Suite struct TriggerOptionTests {
    private func trigger(_ arguments: String...) throws -> TriggerCommand {
        guard let command = try Capctl.parseAsRoot(["trigger"] + arguments) as? TriggerCommand else {
            throw NoTrigger()
        }
        return command
    }

    private struct NoTrigger: Error {}

    private func pair(_ type: String?, _ position: String? = nil) -> TypeAndPosition {
        TypeAndPosition(
            type: type.map(DeviceType.init), position: position.map(Position.init) ?? .unspecified)
    }

    @Test func theChainKeepsTheOrderOfTheCommandLine() throws {
        let command = try trigger(
            "--first", "--type", "tele", "--position", "back", "--type", "wide", "--position", "back", "--type", "wide")
        #expect(
            command.shot.request.selection.choice
                == .first([pair("tele", "back"), pair("wide", "back"), pair("wide")], per: .rig))
    }

    @Test func aPositionAloneIsAStepOfItsOwn() throws {
        let command = try trigger("--position", "left", "--type", "wide", "--position", "right", "--position", "top")
        #expect(
            command.shot.request.selection.choice
                == .matching([pair(nil, "left"), pair("wide", "right"), pair(nil, "top")]))
    }

    @Test func whatIsMadeOfClipsNeedsClips() throws {
        let settings = try trigger("--all", "--clip-codec", "h264", "--motion-photo").shot.request.settings
        #expect(settings.clipCodec == .h264 && settings.motionPhoto == true && settings.livePhoto == .whereEnabled)
        #expect(try trigger("--all").shot.request.settings.clipCodec == nil)
        for wrong in [
            ["--clip-codec", "h265"], ["--no-live", "--motion-photo"], ["--no-live", "--clip-codec", "h264"],
        ] {
            #expect(throws: (any Error).self) { try Capctl.parseAsRoot(["trigger", "--all"] + wrong) }
        }
        #expect(throws: (any Error).self) { try trigger("--all", "--raw", "--motion-photo") }
        #expect(try trigger("--all", "--raw+jpeg", "--motion-photo").shot.request.settings.motionPhoto == true)
    }

    @Test func whatIsMadeOfAStillNeedsOne() throws {
        #expect(try trigger("--all", "--codec", "heic").shot.request.settings.codec == .heic)
        #expect(try trigger("--all").shot.request.settings.codec == nil)
        for wrong in [
            ["--codec", "avif"], ["--codec", "heic", "--raw"], ["--codec", "heic", "--bracket", "2ms,8ms"],
        ] {
            #expect(throws: (any Error).self) { try Capctl.parseAsRoot(["trigger", "--all"] + wrong) }
        }
        #expect(try trigger("--all", "--raw+jpeg", "--codec", "heic").shot.request.settings.codec == .heic)
    }

    @Test func clipsComeWhereTheyAreEnabledUnlessSomebodySaysOtherwise() throws {
        #expect(try trigger("--all").shot.request.settings.livePhoto == .whereEnabled)
        #expect(try trigger("--all", "--live").shot.request.settings.livePhoto == .required)
        #expect(try trigger("--all", "--no-live").shot.request.settings.livePhoto == nil)
    }

    @Test func rawComesWhereItIsEnabledUnlessItIsRequired() throws {
        #expect(try trigger("--all", "--raw+jpeg").shot.request.settings.raw == .withPhotoWhereEnabled)
        #expect(try trigger("--all", "--raw+jpeg", "--raw-required").shot.request.settings.raw == .withPhoto)
        #expect(try trigger("--all", "--raw").shot.request.settings.raw == .only)
        #expect(try trigger("--all").shot.request.settings.raw == nil)
        #expect(throws: (any Error).self) { try trigger("--all", "--raw-required") }
        #expect(try trigger("--all", "--raw").shot.request.settings.rawThumbnail == nil)
        let small = try trigger("--all", "--raw+jpeg", "--raw-thumbnail", "160").shot.request.settings
        #expect(small.rawThumbnail == RawThumbnailFormat(longerSide: 160))
        let bare = try trigger("--all", "--raw", "--raw-thumbnail", "none").shot.request.settings
        #expect(bare.rawThumbnail == RawThumbnailFormat(codec: .none))
    }

    @Test("Limits are those of the options, those of the rig, or none") func limits() throws {
        #expect(try trigger("--all").shot.request.limits == nil)
        #expect(
            try trigger("--all", "--max-skew", "5ms").shot.request.limits
                == TimingLimits(maxSkew: .milliseconds(5), onExcess: .mark))
        let both = try trigger("--all", "--max-bound", "300us", "--max-skew", "1.5ms", "--on-excess", "refuse")
        #expect(
            both.shot.request.limits
                == TimingLimits(maxSkew: .microseconds(1500), maxBound: .microseconds(300), onExcess: .refuse))
        let again = try trigger("--all", "--max-skew", "5ms", "--on-excess", "retry", "--at", "+1s")
        #expect(again.shot.request.limits == TimingLimits(maxSkew: .milliseconds(5), onExcess: .refuse))
        #expect(try trigger("--all", "--no-timing-limits").shot.request.limits == TimingLimits())
        for (wrong, words) in [
            (["--max-skew", "0.5us"], "--max-skew must be 1000 to 60000000000, and is 500 (nanoseconds)"),
            (["--max-bound", "2min"], "--max-bound must be 1000 to"), (["--max-bound", "5"], "its unit"),
            (["--on-excess", "refuse"], "--on-excess needs --max-skew or --max-bound"),
            (["--max-skew", "1ms", "--on-excess", "again"], "one of mark, refuse, retry"),
            (["--on-excess", "retry"], "--on-excess needs --max-skew or --max-bound"),
            (["--max-skew", "1ms", "--on-excess", "retry", "--at", "2026-11-21T10:15:43Z"], "--at names one"),
            (
                ["--max-skew", "1ms", "--on-excess", "retry", "--id", "019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f50"],
                "--id names one"
            ),
            (["--max-skew", "1ms", "--no-timing-limits"], "--no-timing-limits excludes"),
        ] {
            let error = #expect(throws: (any Error).self) { try Capctl.parseAsRoot(["trigger", "--all"] + wrong) }
            #expect(error.map { Capctl.message(for: $0) }?.contains(words) == true, "\(wrong)")
        }
    }

    @Test("An instant is exact only if that is wanted") func exact() throws {
        #expect(try trigger("--all").shot.request.time == .soon(lead: nil))
        #expect(try trigger("--all", "--exact").shot.request.time == .soon(lead: nil, exact: true))
        #expect(
            try trigger("--all", "--exact", "--lead", "250ms").shot.request.time
                == .soon(lead: 250_000_000, exact: true))
        #expect(
            try trigger("--all", "--exact", "--at", "+1s").shot.request.time == .relative(nanoseconds: 1_000_000_000))
    }

    @Test func withoutFirstEveryMatchIsMeant() throws {
        #expect(try trigger("--type=wide").shot.request.selection.choice == .matching([pair("wide")]))
        #expect(try trigger("--all").shot.request.selection.choice == .all)
        let filtered = try trigger("--node", "n1", "--node", "n2", "--device", "n1/cam1", "--label", "face")
        #expect(
            filtered.shot.request.selection
                == Selection(
                    nodes: [try NodeName("n1"), try NodeName("n2")], devices: [try DeviceID("n1/cam1")],
                    labels: ["face"]))
    }

    @Test func firstIsTakenWithinItsScope() throws {
        for scope in Selection.Scope.allCases {
            let command = try trigger("--first", "--per", scope.rawValue)
            #expect(command.shot.request.selection.choice == .first([], per: scope))
        }
    }

    @Test(arguments: [
        ("+250ms", RequestedTime.relative(nanoseconds: 250_000_000)), ("-0.5s", .relative(nanoseconds: -500_000_000)),
        ("2026-11-21T10:15:43.25Z", .absolute(realtimeNanoseconds: 1_795_256_143_250_000_000)),
    ])
    func anInstantIsTakenAsWritten(_ text: String, _ time: RequestedTime) throws {
        #expect(try trigger("--all", "--at", text).shot.request.time == time)
        #expect(try trigger("--all", "--at=\(text)").shot.request.time == time)
    }

    @Test func leadTimeoutAndTheRestArrive() throws {
        let command = try trigger(
            "--all", "--lead", "150ms", "--timeout", "20s", "--require-all", "--quality", "80", "--format", "json",
            "--id", "019A2C5E-7B5A-7C3E-9F0E-3D6C1A2B4F50")
        #expect(command.shot.request.time == .soon(lead: 150_000_000))
        #expect(command.shot.timeout == .seconds(20))
        #expect(command.shot.request.requireAll)
        #expect(command.shot.request.settings.quality == 80)
        #expect(command.output.format == .json)
        #expect(command.id?.description == "019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f50")
    }

    @Test func lightAndBracketAreAskedForAsWrittenAndAheadOfTime() throws {
        let command = try trigger("--all", "--no-live", "--flash", "auto", "--bracket", "2ms,8ms@10,@-3")
        #expect(
            command.shot.request.settings
                == PhotoSettings(
                    flash: .auto,
                    bracket: [
                        BracketStep(exposureNanoseconds: 2_000_000),
                        BracketStep(exposureNanoseconds: 8_000_000, gain: 10),
                        BracketStep(gain: -3),
                    ]))
        #expect(command.shot.request.time == .soon(lead: 500_000_000))
        #expect(try trigger("--all", "--flash", "on", "--lead", "2s").shot.request.time == .soon(lead: 2_000_000_000))
        #expect(try trigger("--all", "--flash", "off").shot.request.time == .soon(lead: nil))
    }

    @Test("Requests a larger still in its size and far enough ahead")
    func largerStills() throws {
        let larger = try trigger("--all", "--no-live", "--max-dimensions", "2560x1440").shot.request
        #expect(larger.settings == PhotoSettings(maxPhotoDimensions: PixelSize(width: 2560, height: 1440)))
        #expect(larger.time == .soon(lead: nil), "the coordinator knows what the cameras need")
        let lit = try trigger("--all", "--max-dimensions", "640x480", "--flash", "on").shot.request
        #expect(lit.time == .soon(lead: 4_000_000_000))
    }

    @Test func smallPicturesAreAskedForAsWritten() throws {
        #expect(try trigger("--all", "--no-live").shot.request.settings == PhotoSettings())
        let command = try trigger("--all", "--no-live", "--thumbnail", "square", "--preview")
        #expect(command.shot.request.settings == PhotoSettings(embedThumbnail: .square, previewSize: 320))
        let small = try trigger("--all", "--no-live", "--preview-size", "64").shot.request.settings
        #expect(small == PhotoSettings(previewSize: 64))
    }

    @Test(arguments: [["session", "start"], ["session", "stop"], ["resume"]])
    func `A camera that is not a name is refused in the words of the help`(command: [String]) {
        let error = #expect(throws: (any Error).self) { try Capctl.parseAsRoot(command + ["North Cam"]) }
        let message = error.map { Capctl.message(for: $0) } ?? ""
        #expect(message.contains("<node/device>") && !message.contains("named"), "\(message)")
    }

    @Test(
        arguments: [
            ("--red-eye-reduction", "flashes before the picture"), ("--depth", "measures distances"),
            ("--portrait-matte", "depth"), ("--segmentation-mattes", "skin"),
            ("--stabilization", "V4L2 has no control"),
        ])
    func `What no camera has is refused by name with the reason`(option: String, reason: String) {
        let error = #expect(throws: (any Error).self) { try Capctl.parseAsRoot(["trigger", "--all", option]) }
        let message = error.map { Capctl.message(for: $0) } ?? ""
        #expect(message.contains("\(option) is not supported: ") && message.contains(reason), "\(message)")
    }

    @Test(arguments: [
        [], ["--all", "--type", "wide"], ["--all", "--first"], ["--all", "--per", "node"],
        ["--first", "--per", "planet"],
        ["--all", "--at", "tomorrow"], ["--all", "--at", "250ms"], ["--all", "--at", "+1s", "--lead", "1s"],
        ["--all", "--lead", "-1s"], ["--all", "--timeout", "10"], ["--all", "--timeout", "25000min"],
        ["--node", "No Such"], ["--device", "cam1"], ["--all", "--id", "1"], ["--all", "--quality", "0"],
        ["--all", "--flash", "maybe"], ["--all", "--bracket", "2"], ["--all", "--bracket", "2ms,,8ms"],
        ["--all", "--bracket", "2ms@x"], ["--all", "--bracket", "1s,1s,1s,1s,1s,1s"],
        ["--all", "--bracket", "11s"], ["--all", "--max-dimensions", "largest"],
        ["--all", "--max-dimensions", "0x720"],
        ["--all", "--raw-thumbnail", "160"], ["--all", "--raw", "--raw-thumbnail", "15"],
        ["--all", "--raw", "--raw-thumbnail", "jpeg"],
        ["--all", "--thumbnail", "round"], ["--all", "--preview-size", "15"],
        ["--all", "--coordinator", "localhost"], ["--all", "--format", "xml"], ["--all", "extra"],
    ])
    func aWrongCommandLineEndsWith64(_ arguments: [String]) {
        #expect(throws: (any Error).self) {
            do {
                _ = try Capctl.parseAsRoot(["trigger"] + arguments)
            } catch {
                #expect(Capctl.exitCode(for: error).rawValue == CommandStatus.usage.rawValue)
                throw error
            }
        }
    }

    @Test func devicesAndShotsAloneMeanTheirLists() throws {
        #expect(try Capctl.parseAsRoot(["devices"]) is DevicesListCommand)
        #expect(try Capctl.parseAsRoot(["shots"]) is ShotsListCommand)
    }
}
