import CaptureModel
import CaptureTestSupport
import Foundation
import Movies
import PosixSupport
import Testing

@Suite(.enabled(if: Probe.isPossible)) struct MovieRecorderTests {
    let temporary: TemporaryFolder
    let folder: Folder

    init() throws {
        temporary = try TemporaryFolder()
        folder = try Folder(opening: temporary.path)
    }

    private func path(_ name: String) -> String { temporary.path + "/" + name }

    /// Records frames at these times, with sound beside them where the format has it, and stops.
    private func record(
        _ times: [Int64], format: RecordingFormat = RecordingSample.format(),
        limits: RecordingLimits = RecordingLimits()
    ) throws -> RecordingResult {
        let recorder = try MovieRecorder(to: folder, name: "left", format: format, limits: limits)
        for (number, time) in times.enumerated() {
            try recorder.write(RecordingSample.frame(number, at: time))
            if format.sound != nil {
                try recorder.write(sound: RecordingSample.sound(number), at: Int64(number) * 1600)
            }
        }
        return try recorder.stop()
    }

    @Test func `a finished recording has other frames, times or sound than the camera gave`() throws {
        let times = ClipSample.times(150)
        let result = try record(times, format: RecordingSample.format(sound: true))
        #expect(result.end == .stopped && result.segments.map(\.stem) == ["left-001"])
        #expect(result.segments.first?.frameCount == 150 && result.segments.first?.silentSampleCount == 0)
        #expect(try temporary.names() == ["left-001.frames.jsonl", "left-001.recording.mov"])
        let finished = try RecordingFinisher.finish("left-001", in: folder)
        #expect(finished.frameCount == 150)
        #expect(try temporary.names() == ["left-001.frames.jsonl", "left-001.mov"])
        let movie = path("left-001.mov")
        #expect(try Probe.complaints(about: movie) == "")
        #expect(try Probe.validation(of: movie) == ["OK"])
        let found = try Probe.times(of: movie)
        try #require(found.count == times.count)
        #expect(
            Probe.largestError(found, times) <= 0.000_006,
            "\(zip(found, times).filter { Probe.largestError([$0], [$1]) > 0.000_01 }.prefix(5))")
        let report = try ExternalTool.run(
            "ffmpeg", "-v", "error", "-i", movie, "-map", "0:a", "-f", "s16le", path("sound.raw"))
        #expect(report.output == "")
        #expect(try temporary.read("sound.raw") == (0..<150).flatMap(RecordingSample.sound))
    }

    @Test func `editors find neither time code nor camera`() throws {
        let start = SMPTETimecode(frame: 3 * 3600 * 30 + 29, rate: RecordingSample.rate)
        _ = try record(ClipSample.times(40), format: RecordingSample.format(timecodeStart: start))
        _ = try RecordingFinisher.finish("left-001", in: folder)
        let movie = path("left-001.mov")
        #expect(try Probe.entries("stream_tags=timecode", of: movie, streams: "d") == ["03:00:00:29"])
        #expect(try Probe.entries("stream_tags=reel_name", of: movie, streams: "d") == ["LEFT 1"])
        #expect(try Probe.tags(["QuickTime:CreateDate", "Title"], of: movie) == ["2026:01:02 02:04:05", "Take ü"])
    }

    @Test(
        arguments: [
            (33_366_667, "10:10:59;28", "30000/1001"), (33_366_667, "10:11:00;02", "30000/1001"),
            (33_366_666, "10:20:00;00", "30000/1001"), (16_683_333, "23:59:59;59", "60000/1001"),
            (16_683_333, "10:11:00;04", "60000/1001"), (41_708_333, "10:11:00:00", "24000/1001"),
            (40_000_000, "10:11:00:24", "25/1"), (83_333_333, "10:11:00:07", "12/1"),
        ] as [(Int64, String, String)])
    func `editors count the frames of a day otherwise than the time code says`(
        interval: Int64, text: String, fraction: String
    ) throws {
        let rate = FrameRate(interval: .nanoseconds(interval))
        #expect(rate.description == fraction)
        let start = try #require(SMPTETimecode(text, rate: rate))
        #expect(start.description == text)
        _ = try record(ClipSample.times(40), format: RecordingSample.format(rate: rate, timecodeStart: start))
        _ = try RecordingFinisher.finish("left-001", in: folder)
        let movie = path("left-001.mov")
        #expect(try Probe.entries("stream_tags=timecode", of: movie, streams: "d") == [text])
        // What the track stores is the frame's number in the day.
        _ = try ExternalTool.run(
            "ffmpeg", "-v", "error", "-y", "-i", movie, "-map", "0:d:0", "-c", "copy", "-f", "data", path("tmcd"))
        let stored = try temporary.read("tmcd").prefix(4).reduce(0) { $0 << 8 | Int64($1) }
        #expect(stored == start.frame)
        let header = try #require(
            try temporary.read("left-001.frames.jsonl").split(separator: UInt8(ascii: "\n")).first)
        let told = try #require(try JSONSerialization.jsonObject(with: Data(header)) as? [String: Any])
        #expect(told["timecode"] as? String == text && told["frameRate"] as? String == fraction)
    }

    @Test func `a day's drop-frame numbers come twice, out of order, or off the clock`() throws {
        let uneven = FrameRate(interval: .nanoseconds(133_333_333))
        #expect(uneven.description == "15/2" && uneven.timecodeRate.description == "8/1")
        let rate = FrameRate(interval: .nanoseconds(33_366_667))
        var last = ""
        for frame in stride(from: Int64(0), to: 2_589_408, by: 1) {
            let code = SMPTETimecode(frame: frame, rate: rate)
            let text = code.description
            guard text > last, frame % 977 != 0 || SMPTETimecode(text, rate: rate) == code else {
                Issue.record("frame \(frame) is \(text), the one before \(last)")
                return
            }
            last = text
        }
        #expect(last == "23:59:59;29" && SMPTETimecode(frame: 2_589_408, rate: rate).description == "00:00:00;00")
        // In half a day 29.97 frames a second are 1.3 frames more than drop-frame numbers have left out.
        let noon = SMPTETimecode(nanosecondsSinceMidnight: 43_200_000_000_000, rate: rate).description
        #expect(noon == "12:00:00;01")
        #expect(SMPTETimecode("10:11:00;01", rate: rate) == nil && SMPTETimecode("10:11:00:02", rate: rate) == nil)
    }

    @Test func `the sidecar tells other things than the frames`() throws {
        let times = ClipSample.times(60)
        let recorder = try MovieRecorder(to: folder, name: "left", format: RecordingSample.format())
        for (number, time) in times.enumerated() {
            try recorder.write(RecordingSample.frame(number, at: time))
            if number == 30 { recorder.mark("\"go\"\n\\ü", at: time) }
        }
        _ = try recorder.stop()
        let lines = try temporary.read("left-001.frames.jsonl").split(separator: UInt8(ascii: "\n")).map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
        }
        try #require(lines.count == 62)
        #expect(lines[0]["schemaVersion"] as? Int == 1 && lines[0]["camera"] as? String == "LEFT 1")
        #expect(lines[1]["presentationTime"] as? Int64 == times[0] && lines[1]["gain"] == nil)
        #expect(lines[1]["rigTimeNanoseconds"] as? Int64 == 1_000_000_000_000)
        #expect(lines[2]["number"] as? Int == 101 && lines[2]["droppedBefore"] as? Int == 0)
        #expect(lines[4]["boundNanoseconds"] as? Int == 250_003 && lines[4]["exposureNanoseconds"] as? Int == 8_000_000)
        #expect(lines[1]["settings"] == nil && lines[2]["settings"] as? String == "changing")
        #expect(lines[3]["settings"] as? String == "019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f")
        #expect(lines[32]["mark"] as? String == "\"go\"\n\\ü")
    }

    @Test func `a recording in several files loses frames or sound between them`() throws {
        let times = ClipSample.times(150)
        let result = try record(
            times,
            format: RecordingSample.format(
                sound: true, timecodeStart: SMPTETimecode(frame: 0, rate: RecordingSample.rate)),
            limits: RecordingLimits(segmentDuration: 150_000))
        #expect(result.segments.map(\.frameCount).reduce(0, +) == 150 && result.segments.count == 3)
        #expect(result.segments.allSatisfy { $0.silentSampleCount == 0 && $0.refusedSampleCount == 0 })
        var found: [Double] = []
        var sound: [UInt8] = []
        for segment in result.segments {
            _ = try RecordingFinisher.finish(segment.stem, in: folder)
            let movie = path(segment.stem + ".mov")
            #expect(try Probe.complaints(about: movie) == "")
            found += try Probe.times(of: movie).map { $0 + Double(segment.start) / 90_000 }
            _ = try ExternalTool.run(
                "ffmpeg", "-v", "error", "-y", "-i", movie, "-map", "0:a", "-f", "s16le", path("raw"))
            sound += try temporary.read("raw")
        }
        #expect(Probe.largestError(found, times) <= 0.000_02)
        #expect(found.count == 150)
        #expect(sound == (0..<150).flatMap(RecordingSample.sound))
        let second = Int(result.segments[1].start * 30 / 90_000)
        #expect(
            try Probe.entries("stream_tags=timecode", of: path("left-002.mov"), streams: "d")
                == ["00:00:0\(second / 30):\(second % 30 < 10 ? "0" : "")\(second % 30)"])
    }

    /// A frame interval of 3003 whose clock was corrected by one unit, or that has lost frames at the end.
    @Test(arguments: [3004, 3002, 9009, 842] as [Int64])
    func `the last frame lasts as long as the one before it`(_ interval: Int64) throws {
        let times: [Int64] = [2373, 5376, 8379, 8379 + interval]
        _ = try record(times)
        _ = try RecordingFinisher.finish("left-001", in: folder)
        #expect(try end(of: "left-001.mov") == 8379 + 2 * interval)
    }

    @Test func `each file lasts until the next one begins, also if frames are missing between them`() throws {
        var times = ClipSample.times(150)
        times.removeSubrange(58..<63)
        let result = try record(times, limits: RecordingLimits(segmentDuration: 180_000))
        try #require(result.segments.count > 1)
        for (segment, next) in zip(result.segments, result.segments.dropFirst()) {
            _ = try RecordingFinisher.finish(segment.stem, in: folder)
            #expect(try end(of: segment.stem + ".mov") == next.start - segment.start)
        }
    }

    /// Where the pictures of a movie end, 1/90 000 s.
    private func end(of name: String) throws -> Int64 {
        let line = try #require(
            try Probe.entries("stream=start_pts,duration_ts", of: path(name), streams: "v:0").first)
        return line.split(separator: ",").compactMap { Int64($0) }.reduce(0, +)
    }

    @Test func `a microphone that pauses shifts all that is heard later`() throws {
        let recorder = try MovieRecorder(to: folder, name: "left", format: RecordingSample.format(sound: true))
        for number in 0..<150 {
            try recorder.write(RecordingSample.frame(number, at: Int64(number) * 3000))
            // Nothing for two seconds, some of it twice, some too late.
            guard !(40..<100).contains(number) else { continue }
            try recorder.write(sound: RecordingSample.sound(number), at: Int64(number) * 1600)
            if number == 120 { try recorder.write(sound: RecordingSample.sound(number), at: Int64(number) * 1600) }
        }
        let result = try recorder.stop()
        let segment = try #require(result.segments.first)
        #expect(segment.silentSampleCount == 96_000 && segment.refusedSampleCount == 1600)
        _ = try RecordingFinisher.finish("left-001", in: folder)
        _ = try ExternalTool.run(
            "ffmpeg", "-v", "error", "-i", path("left-001.mov"), "-map", "0:a", "-f", "s16le", path("raw"))
        let silence = [UInt8](repeating: 0, count: 3200)
        let expected = (0..<150).flatMap { (40..<100).contains($0) ? silence : RecordingSample.sound($0) }
        #expect(try temporary.read("raw") == expected)
    }

    @Test func `sound of a time without frames waits in memory, or shifts the frames after it`() throws {
        let recorder = try MovieRecorder(to: folder, name: "left", format: RecordingSample.format(sound: true))
        let taken = Array(0..<30) + Array(300..<330)
        for number in 0..<330 {
            if taken.contains(number) { try recorder.write(RecordingSample.frame(number, at: Int64(number) * 3000)) }
            try recorder.write(sound: RecordingSample.sound(number), at: Int64(number) * 1600)
            // A fragment may wait in memory, and the sound of half a second until the frames are missed.
            let written = try folder.open("left-001.recording.mov", for: .reading).byteCount()
            #expect(written >= (number - 32) * 3200)
        }
        _ = try recorder.stop()
        _ = try RecordingFinisher.finish("left-001", in: folder)
        let movie = path("left-001.mov")
        #expect(try Probe.complaints(about: movie) == "")
        let found = try Probe.times(of: movie)
        try #require(found.count == taken.count)
        #expect(Probe.largestError(found, taken.map { Int64($0) * 3000 }) <= 0.000_02)
        _ = try ExternalTool.run("ffmpeg", "-v", "error", "-i", movie, "-map", "0:a", "-f", "s16le", path("raw"))
        #expect(try temporary.read("raw") == (0..<330).flatMap(RecordingSample.sound))
    }

    @Test func `an old recording of the same name is taken for one that a crash has cut off`() throws {
        _ = try record(ClipSample.times(20))
        _ = try RecordingFinisher.finish("left-001", in: folder)
        let recorder = try MovieRecorder(to: folder, name: "left", format: RecordingSample.format())
        for number in 0..<60 { try recorder.write(RecordingSample.frame(number, at: Int64(number) * 3000)) }
        // Its end is never written.
        guard case .finished = RecordingFinisher.recover("left-001", in: folder) else {
            Issue.record("nothing was finished")
            return
        }
        #expect(try Probe.times(of: path("left-001.mov")).count > 20)
        #expect(try temporary.names() == ["left-001.frames.jsonl", "left-001.mov"])
    }

    @Test func `a sample number that is far off fills the disk with silence`() throws {
        let recorder = try MovieRecorder(to: folder, name: "left", format: RecordingSample.format(sound: true))
        for number in 0..<40 {
            try recorder.write(RecordingSample.frame(number, at: Int64(number) * 3000))
            try recorder.write(
                sound: RecordingSample.sound(number), at: Int64(number) * 1600 + (number == 7 ? 1 << 40 : 0))
        }
        let segment = try #require(try recorder.stop().segments.first)
        #expect(segment.refusedSampleCount == 1600 && segment.silentSampleCount == 1600)
    }

    @Test func `a recording does not end by itself where it should`() throws {
        let recorder = try MovieRecorder(
            to: folder, name: "left", format: RecordingSample.format(), limits: RecordingLimits(freeByteCount: .max))
        let taken = try (0..<60).map { try recorder.write(RecordingSample.frame($0, at: Int64($0) * 3000)) }
        #expect(recorder.end == .diskNearlyFull)
        #expect(taken == (0..<60).map { $0 < 15 })
        let result = try recorder.stop()
        #expect(result.end == .diskNearlyFull && result.refusedFrameCount == 45)
        #expect(try RecordingFinisher.finish("left-001", in: folder).frameCount == 15)
        #expect(try Probe.complaints(about: path("left-001.mov")) == "")
    }

    @Test func `a frame that is torn ends the recording, or is stored`() throws {
        let recorder = try MovieRecorder(to: folder, name: "left", format: RecordingSample.format())
        for number in 0..<20 {
            var frame = try RecordingSample.frame(number, at: Int64(number) * 3000)
            if number == 7 { frame.jpeg.removeLast(9) }
            if number == 7 {
                #expect(throws: MovieError.self) { try recorder.write(frame) }
            } else {
                #expect(try recorder.write(frame))
            }
        }
        #expect(throws: MovieError.self) { try recorder.write(RecordingSample.frame(1, at: 3000)) }
        #expect(try recorder.stop().segments.first?.frameCount == 19)
        #expect(try RecordingFinisher.finish("left-001", in: folder).frameCount == 19)
    }

    @Test(arguments: [ENOSPC, EIO]) func `a disk that fails takes what was recorded before`(_ code: CInt) throws {
        let disk = FaultyDisk()
        let recorder = try MovieRecorder(
            to: Folder(opening: temporary.path, fault: disk.fault), name: "left", format: RecordingSample.format())
        let error = #expect(throws: MovieError.self) {
            for number in 0..<200 {
                if number == 100 { disk.fail(.every(.write, code: code)) }
                try recorder.write(RecordingSample.frame(number, at: Int64(number) * 3000))
            }
        }
        #expect(error?.file?.code == code && recorder.end == .failed && recorder.failure == error)
        #expect(try !recorder.write(RecordingSample.frame(300, at: 900_000)))
        #expect(try recorder.stop().end == .failed)
        let outcome = RecordingFinisher.recover("left-001", in: folder)
        guard case .finished(let finished)? = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
        #expect(finished.frameCount == 90)
        #expect(try Probe.complaints(about: path("left-001.mov")) == "")
    }

    @Test func `finishing that is cut off anywhere loses the recording`() throws {
        _ = try record(ClipSample.times(45))
        let recording = try temporary.read("left-001.recording.mov")
        let sidecar = try temporary.read("left-001.frames.jsonl")
        let disk = FaultyDisk()
        let faulty = try Folder(opening: temporary.path, fault: disk.fault)
        disk.fail(nil)
        _ = try RecordingFinisher.finish("left-001", in: faulty)
        let (movie, steps) = (try temporary.read("left-001.mov"), disk.steps.count)
        for step in 0..<steps {
            try FileManager.default.removeItem(atPath: path("left-001.mov"))
            try temporary.write(recording, as: "left-001.recording.mov")
            try temporary.write(sidecar, as: "left-001.frames.jsonl")
            disk.fail(.crash(at: step))
            _ = try? RecordingFinisher.finish("left-001", in: faulty)
            disk.fail(nil)
            _ = RecordingFinisher.recover("left-001", in: folder)
            #expect(try temporary.names() == ["left-001.frames.jsonl", "left-001.mov"], "step \(step)")
            #expect(try temporary.read("left-001.mov") == movie)
            #expect(try temporary.read("left-001.frames.jsonl") == sidecar)
        }
    }

    @Test func `a recording that was cut off before its first fragment is kept as damaged for ever`() throws {
        let recorder = try MovieRecorder(to: folder, name: "left", format: RecordingSample.format())
        for (number, time) in ClipSample.times(3).enumerated() {
            try recorder.write(RecordingSample.frame(number, at: time))
        }
        try temporary.write([], as: "right-001.recording.mov")
        try temporary.write([], as: "right-001.frames.jsonl")
        for stem in ["left-001", "right-001"] {
            #expect(RecordingFinisher.recover(stem, in: folder) == .empty(stem: stem))
        }
        #expect(try temporary.names() == [])
    }

    @Test func `a recording that a crash cuts off at any byte passes for damaged`() throws {
        _ = try record(ClipSample.times(20))
        let whole = try temporary.read("left-001.recording.mov")
        let sidecar = try temporary.read("left-001.frames.jsonl")
        let index = try #require(whole.firstRange(of: Array("moof".utf8))).lowerBound
        try FileManager.default.removeItem(atPath: path("left-001.recording.mov"))
        var finished = 0
        for count in Array(0..<index) + Array(stride(from: index, through: whole.count, by: 991)) {
            try temporary.write(Array(whole.prefix(count)), as: "left-001.recording.mov")
            try temporary.write(sidecar, as: "left-001.frames.jsonl")
            switch RecordingFinisher.recover("left-001", in: folder) {
            case .empty: #expect(try finished == 0 && temporary.names() == [], "\(count) bytes")
            case .finished:
                finished += 1
                #expect(count > index)
                try FileManager.default.removeItem(atPath: path("left-001.mov"))
            case let outcome: Issue.record("\(count) bytes: \(String(describing: outcome))")
            }
        }
        #expect(finished > 0)
    }

    @Test func `a recording that cannot be read is thrown away, or passes for one without frames`() throws {
        let flipped = [0x40, 0, 0, 20] + Array("ftypqt  ".utf8) + [UInt8](repeating: 1, count: 4096)
        for bytes in [Array("This is not a movie.".utf8), [UInt8](repeating: 0, count: 4096), flipped] {
            try temporary.write(bytes, as: "aaa-001.recording.mov")
            let outcome = RecordingFinisher.recover("aaa-001", in: folder)
            guard case .damaged("aaa-001", let error)? = outcome else {
                Issue.record("\(String(describing: outcome))")
                return
            }
            #expect(error.description.contains("aaa-001"))
            #expect(try temporary.read("aaa-001.recording.mov") == bytes)
        }
    }
}
